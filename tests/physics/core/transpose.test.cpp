#include "physics/core/transpose.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Whole tiles, what is left of rows and columns, and matrices smaller than a tile. Fails when rows are
// exchanged at the wrong distance or from the wrong side, and when a rest is left out or not scaled.
TEMPLATE_TEST_CASE("a matrix stored by columns, scaled, is the same stored by rows", "", float, double) {
  using Columns = Eigen::Matrix<TestType, Eigen::Dynamic, Eigen::Dynamic>;
  using Rows = Eigen::Matrix<TestType, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (const Eigen::Index rows : {1, 7, 8, 9, 16, 97})
    for (const Eigen::Index columns : {0, 3, 8, 21, 64}) {
      CAPTURE(rows, columns);
      const Columns from = Columns::Random(rows + 2, columns + 1);
      Rows to = Rows::Zero(rows + 3, columns + 5), expected = to;
      expected.block(1, 2, rows, columns) = TestType(1.5) * from.block(2, 1, rows, columns);
      assign_by_rows<TestType>(TestType(1.5), from.block(2, 1, rows, columns), to.block(1, 2, rows, columns));
      CHECK(to == expected);
    }
}
