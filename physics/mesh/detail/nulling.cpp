#include "physics/mesh/detail/nulling.hpp"

#include <array>
#include <cmath>

namespace optinc {
namespace {

/// x <- t_0 x + t_1 y and y <- t_2 x + t_3 y for two arrays of complex numbers whose parts lie apart.
void combine(std::size_t count, const std::array<Complex, 4>& t, double* __restrict x_re,
             double* __restrict x_im, double* __restrict y_re, double* __restrict y_im) {
  const double pr = t[0].real(), pi = t[0].imag(), qr = t[1].real(), qi = t[1].imag();
  const double ur = t[2].real(), ui = t[2].imag(), vr = t[3].real(), vi = t[3].imag();
  for (std::size_t k = 0; k < count; ++k) {
    const double a = x_re[k], b = x_im[k], c = y_re[k], d = y_im[k];
    x_re[k] = pr * a - pi * b + qr * c - qi * d;
    x_im[k] = pr * b + pi * a + qr * d + qi * c;
    y_re[k] = ur * a - ui * b + vr * c - vi * d;
    y_im[k] = ur * b + ui * a + vr * d + vi * c;
  }
}

}  // namespace

/// T as numbers, row by row. The inner loops spell complex products out: std::complex looks for NaN in each.
struct NullingMatrix::Elements {
  double re[4], im[4];

  explicit Elements(const PerfectMzi& m) {
    const Complex ih(-m.s, m.c), turned = ih * m.turn;  // i half
    const Complex t[4] = {turned * m.s, ih * m.c, turned * m.c, -ih * m.s};
    for (int k = 0; k < 4; ++k) {
      re[k] = t[k].real();
      im[k] = t[k].imag();
    }
  }
  Complex conjugate(int k) const { return {re[k], -im[k]}; }
};

MziSettings PerfectMzi::settings() const { return {2 * std::atan2(s, c), std::arg(turn)}; }

NullingMatrix::NullingMatrix(const Matrix& matrix)
    : size_(static_cast<int>(matrix.rows())),
      pitch_((static_cast<std::size_t>(size_) + 7) / 8 * 8 + 8),
      re_(pitch_ * static_cast<std::size_t>(size_)),
      im_(re_) {
  for (int c = 0; c < size_; ++c)
    for (int r = 0; r < size_; ++r) {
      re_[at(r, c)] = matrix(r, c).real();
      im_[at(r, c)] = matrix(r, c).imag();
    }
}

PerfectMzi NullingMatrix::null_from_right(int row, int column) {
  const Complex a = (*this)(row, column), b = (*this)(row, column + 1);
  const double size_a = std::abs(a), size_b = std::abs(b), hypotenuse = std::hypot(size_a, size_b);
  PerfectMzi m;
  if (hypotenuse > 0) {
    m.s = size_b / hypotenuse;
    m.c = size_a / hypotenuse;
  }
  m.turn = -unit_phase(a) * std::conj(unit_phase(b));
  const Elements t(m);
  combine(static_cast<std::size_t>(row) + 1, {t.conjugate(0), t.conjugate(1), t.conjugate(2), t.conjugate(3)},
          &re_[at(0, column)], &im_[at(0, column)], &re_[at(0, column + 1)], &im_[at(0, column + 1)]);
  re_[at(row, column)] = im_[at(row, column)] = 0.0;
  return m;
}

template <std::size_t Columns>
void NullingMatrix::apply_chain(std::span<const Elements> chain, int first, int column) {
  double* __restrict re = &re_[at(first, column)];
  double* __restrict im = &im_[at(first, column)];
  double a[Columns], b[Columns];  // what the next MZI meets on its upper row
  for (std::size_t w = 0; w < Columns; ++w) {
    a[w] = re[w * pitch_ - 1];
    b[w] = im[w * pitch_ - 1];
  }
  for (const Elements& t : chain) {
    for (std::size_t w = 0; w < Columns; ++w) {
      const std::size_t at_w = w * pitch_;
      const double c = re[at_w], d = im[at_w];
      re[at_w - 1] = t.re[0] * a[w] - t.im[0] * b[w] + t.re[1] * c - t.im[1] * d;
      im[at_w - 1] = t.re[0] * b[w] + t.im[0] * a[w] + t.re[1] * d + t.im[1] * c;
      const double lower = t.re[2] * a[w] - t.im[2] * b[w] + (t.re[3] * c - t.im[3] * d);
      b[w] = t.re[2] * b[w] + t.im[2] * a[w] + (t.re[3] * d + t.im[3] * c);
      a[w] = lower;
    }
    ++re;
    ++im;
  }
  for (std::size_t w = 0; w < Columns; ++w) {
    re[w * pitch_ - 1] = a[w];
    im[w * pitch_ - 1] = b[w];
  }
}

std::vector<PerfectMzi> NullingMatrix::null_chain_from_left(int first, int count) {
  // Column by column, each passed once from top to bottom: column j meets T_0 .. T_{j-1}, which are known by
  // then, and then gives T_j.
  std::vector<PerfectMzi> chain;
  std::vector<Elements> elements;
  for (int column = 0; column < count; ++column) {
    apply_chain<1>(elements, first, column);
    const int row = first + column;
    const Complex a = (*this)(row - 1, column), b = (*this)(row, column);
    const double size_a = std::abs(a), size_b = std::abs(b), hypotenuse = std::hypot(size_a, size_b);
    PerfectMzi m;
    if (hypotenuse > 0) {
      m.s = size_a / hypotenuse;
      m.c = size_b / hypotenuse;
    }
    m.turn = unit_phase(b) * std::conj(unit_phase(a));
    chain.push_back(m);
    elements.emplace_back(m);
    apply_chain<1>(std::span(&elements.back(), 1), row, column);
    re_[at(row, column)] = im_[at(row, column)] = 0.0;
  }
  // the columns behind meet all of them; several at once, for each waits for its own last product
  int column = count;
  for (; column + 4 <= size_; column += 4) apply_chain<4>(elements, first, column);
  for (; column < size_; ++column) apply_chain<1>(elements, first, column);
  return chain;
}

}  // namespace optinc
