// The nearest convex curve: of heights at centres x_0 < x_1 < ..., each with its weight, least squares among all g
// whose slopes never fall. Such a g is a line that bends up at *knots*: between two knots it is straight. Given the
// knots, the best heights at them solve a tridiagonal system. Knots that bend down go; those where bending up would
// lower the sum of squares come, until there are none (support reduction: Groeneboom, Jongbloed and Wellner 2008).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace calmgam {

class NearestConvex {
   public:
    // Centres must rise; there must be two of them.
    explicit NearestConvex(const std::vector<double>& centres) : x_(centres) {}

    // Heights become those of the nearest convex curve.
    void project(double* heights, const double* weights) {
        start_with_hull(heights);
        while (true) {
            solve(heights, weights);
            if (!drop_all_that_bend_down()) break;
        }
        for (int change = 0; change < MOST_CHANGES; ++change) {
            spread();
            if (!add_knots(heights, weights)) break;
            descend(heights, weights);
        }
        spread();
        std::copy(fitted_.begin(), fitted_.end(), heights);
    }

   private:
    static constexpr int MOST_CHANGES = 50;       // sets of knots that are tried; each one is convex
    static constexpr double WORTH_A_KNOT = 1e-7;  // of all residuals: what bending there must gain
    static constexpr double ROUNDING = 1e-12;     // of the slopes on both sides

    // The knots of the lower hull: all that could bend up, and near to what is looked for.
    void start_with_hull(const double* heights) {
        knots_.clear();
        for (std::size_t i = 0; i < x_.size(); ++i) {
            while (knots_.size() > 1 && !is_below(heights, knots_[knots_.size() - 2], knots_.back(), i))
                knots_.pop_back();
            knots_.push_back(i);
        }
    }

    bool is_below(const double* heights, std::size_t a, std::size_t middle, std::size_t b) const {
        return (heights[middle] - heights[a]) * (x_[b] - x_[middle]) <
               (heights[b] - heights[middle]) * (x_[middle] - x_[a]);
    }

    // The best heights at the knots.
    void solve(const double* heights, const double* weights) {
        const std::size_t n = knots_.size();
        diagonal_.assign(n, 0.0), beside_.assign(n, 0.0), best_.assign(n, 0.0);
        for (std::size_t k = 0; k + 1 < n; ++k) {
            const std::size_t a = knots_[k], b = knots_[k + 1];
            for (std::size_t i = k > 0 ? a + 1 : a; i <= b; ++i) {
                const double right = (x_[i] - x_[a]) / (x_[b] - x_[a]), left = 1.0 - right, w = weights[i];
                diagonal_[k] += w * left * left;
                beside_[k] += w * left * right;
                diagonal_[k + 1] += w * right * right;
                best_[k] += w * left * heights[i];
                best_[k + 1] += w * right * heights[i];
            }
        }
        for (std::size_t k = 1; k < n; ++k) {
            const double ratio = beside_[k - 1] / diagonal_[k - 1];
            diagonal_[k] -= ratio * beside_[k - 1];
            best_[k] -= ratio * best_[k - 1];
        }
        for (std::size_t k = n; k-- > 0;)
            best_[k] = (best_[k] - (k + 1 < n ? beside_[k] * best_[k + 1] : 0.0)) / diagonal_[k];
        bends_of(best_, best_bends_);
    }

    // How much the slope rises at every knot; 0 at the ends.
    void bends_of(const std::vector<double>& at_knots, std::vector<double>& bends) const {
        bends.assign(knots_.size(), 0.0);
        double before = 0.0;
        for (std::size_t k = 0; k + 1 < knots_.size(); ++k) {
            const double slope = (at_knots[k + 1] - at_knots[k]) / (x_[knots_[k + 1]] - x_[knots_[k]]);
            if (k > 0) bends[k] = slope - before;
            if (bends[k] < 0.0 && -bends[k] <= ROUNDING * (std::abs(slope) + std::abs(before))) bends[k] = 0.0;
            before = slope;
        }
    }

    bool drop_all_that_bend_down() {
        std::size_t kept = 0;
        for (std::size_t k = 0; k < knots_.size(); ++k)
            if (!(best_bends_[k] < 0.0)) knots_[kept] = knots_[k], heights_at(kept++) = best_[k];
        const bool dropped = kept < knots_.size();
        knots_.resize(kept), at_knots_.resize(kept);
        return dropped;
    }

    double& heights_at(std::size_t k) {
        if (at_knots_.size() <= k) at_knots_.resize(k + 1);
        return at_knots_[k];
    }

    // The curve everywhere, straight between its knots.
    void spread() {
        fitted_.resize(x_.size());
        for (std::size_t k = 0; k + 1 < knots_.size(); ++k) {
            const std::size_t a = knots_[k], b = knots_[k + 1];
            for (std::size_t i = a; i <= b; ++i) {
                const double right = (x_[i] - x_[a]) / (x_[b] - x_[a]);
                fitted_[i] = i == b ? at_knots_[k + 1] : at_knots_[k] + right * (at_knots_[k + 1] - at_knots_[k]);
            }
        }
    }

    // Between any two knots, the place where bending up gains most; false if none gains enough.
    bool add_knots(const double* heights, const double* weights) {
        gains_.resize(x_.size());
        double sum = 0.0, gain = 0.0, all = 0.0;  // gain: of residuals beyond x_j, each times its distance
        for (std::size_t j = x_.size(); j-- > 0;) {
            if (j + 1 < x_.size()) gain += sum * (x_[j + 1] - x_[j]);
            gains_[j] = gain;
            const double residual = weights[j] * (heights[j] - fitted_[j]);
            sum += residual;
            all += std::abs(residual);
        }
        const double least = WORTH_A_KNOT * all * (x_.back() - x_.front());
        std::vector<std::size_t> more;
        std::vector<double> at_more;
        for (std::size_t k = 0; k < knots_.size(); ++k) {
            more.push_back(knots_[k]), at_more.push_back(at_knots_[k]);
            if (k + 1 == knots_.size() || knots_[k] + 1 == knots_[k + 1]) continue;
            const auto first = gains_.begin() + static_cast<std::ptrdiff_t>(knots_[k] + 1);
            const auto most = std::max_element(first, gains_.begin() + static_cast<std::ptrdiff_t>(knots_[k + 1]));
            if (!(*most > least)) continue;
            more.push_back(static_cast<std::size_t>(most - gains_.begin()));
            at_more.push_back(fitted_[more.back()]);
        }
        const bool has_more = more.size() > knots_.size();
        knots_ = std::move(more), at_knots_ = std::move(at_more);
        return has_more;
    }

    // From the curve towards the best one with these knots, as far as it stays convex; a knot that has become
    // straight there goes, and so on.
    void descend(const double* heights, const double* weights) {
        while (true) {
            solve(heights, weights);
            bends_of(at_knots_, bends_);
            double share = 1.0;
            std::size_t first = 0;
            for (std::size_t k = 1; k + 1 < knots_.size(); ++k) {
                if (!(best_bends_[k] < 0.0)) continue;
                const double here = std::max(bends_[k], 0.0);
                if (first == 0 || here / (here - best_bends_[k]) < share)
                    share = here / (here - best_bends_[k]), first = k;
            }
            for (std::size_t k = 0; k < knots_.size(); ++k) at_knots_[k] += share * (best_[k] - at_knots_[k]);
            if (first == 0) return;
            knots_.erase(knots_.begin() + static_cast<std::ptrdiff_t>(first));
            at_knots_.erase(at_knots_.begin() + static_cast<std::ptrdiff_t>(first));
        }
    }

    const std::vector<double>& x_;
    std::vector<std::size_t> knots_;
    std::vector<double> at_knots_, bends_, best_, best_bends_, diagonal_, beside_, fitted_, gains_;
};

}  // namespace calmgam
