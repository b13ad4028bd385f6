// Joint growth (DESIGN 1.3): the best condition for every leaf of every feature's tree, at once.
//
// For feature i and conditioning feature j one pass over the rows fills the 2-D histogram
//     (candidate code of x_j)  x  (cell of x_i: leaf and bin)
// of residual sums. Splitting a leaf lets every bin of x_i have two heights, so a condition that sends some
// codes left gains
//     sum over bins of  S_L²/(N_L + ridge) + S_R²/(N_R + ridge) - S²/(N + ridge) - (noise, if both sides have rows).
// A threshold on x_j may lie inside a wide bin of x_j and explain what x_j's own curve has left over there. That is
// no interaction: one step, the same in all cells of x_i, would do. With `charge_steps` what it would take away is
// taken off the gain.
// Only the sums S move while the model is fitted: what thresholds divide, and the factors 1/(N + ridge), are
// kept until a split gives the feature other cells. Rows without weight are moved to the end: they change
// nothing, but follow the model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "heterogeneity.hpp"
#include "joint_levels.hpp"
#include "joint_thresholds.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace calmgam {

namespace joint_detail {

// A feature whose trees grow: cells of its rows, and what follows from their weights alone.
struct SplitFeature {
    std::size_t n_bins, n_leaves = 0, stride = 0;  // cell = leaf * stride + bin; stride: bins, padded to lanes
    std::vector<std::uint32_t> cells;              // of every row
    std::vector<double> inverse;                   // of every cell: 1 / (N + ridge), 0 where there are no rows
    std::vector<double> freedom;  // of every leaf: sum of N / (N + ridge), heights that can follow noise
    std::size_t n_cells() const { return n_leaves * stride; }
};

}  // namespace joint_detail

class JointGrowth {
   public:
    // codes: n_candidates x n_rows; conditions on feature candidate_index[j] are not tried on itself.
    // doubt: curves that take away no more than chance would in one of exp(doubt) cases stay as they are; without
    // it every curve takes all that it can.
    JointGrowth(std::size_t n_rows, const double* weight, const std::vector<std::size_t>& n_bins,
                const std::vector<CandidateCodes>& candidates, std::vector<std::size_t> candidate_index,
                std::vector<bool> subsets, std::vector<std::size_t> turns, double min_rows, double ridge,
                std::optional<double> doubt, bool charge_steps)
        : n_rows_(n_rows),
          min_rows_(min_rows),
          ridge_(ridge),
          doubt_(doubt),
          charge_steps_(charge_steps),
          candidates_(candidates),
          candidate_index_(std::move(candidate_index)),
          subsets_(std::move(subsets)),
          turns_(std::move(turns)),
          order_(n_rows),
          residual_(n_rows) {
        std::iota(order_.begin(), order_.end(), std::uint32_t{0});
        const auto weightless =
            std::stable_partition(order_.begin(), order_.end(), [&](std::uint32_t row) { return weight[row] > 0.0; });
        n_weighted_ = static_cast<std::size_t>(weightless - order_.begin());
        weight_ = in_order(weight);
        total_weight_ = std::accumulate(weight_.begin(), weight_.end(), 0.0);
        for (CandidateCodes& one : candidates_) {
            codes_.push_back(in_order(one.codes));
            one.codes = codes_.back().data();
        }
        for (const std::size_t n : n_bins) features_.push_back({n, 0, 0, {}, {}, {}});
        thresholds_.resize(n_bins.size());
        found_.resize(n_bins.size());
        std::vector<std::size_t> all(candidates_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        tried_.assign(n_bins.size(), all);
        moved_.assign(n_bins.size(), false);
    }

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_features() const { return features_.size(); }
    std::size_t n_candidates() const { return candidates_.size(); }
    const std::vector<bool>& moved() const { return moved_; }

    std::size_t n_bins(std::size_t which) const { return features_[which].n_bins; }
    bool has_cells(std::size_t which) const { return features_[which].n_leaves > 0; }

    // Which candidates are tried on a feature; all, if this is not called.
    void try_only(std::size_t which, std::vector<std::size_t> candidates) {
        std::vector<std::vector<LeafSplit>> none(candidates.size());
        tried_[which] = std::move(candidates);
        found_[which].swap(none);
        thresholds_[which].clear();
    }

    // cells: leaf * n_bins + bin of every row. All or nothing, should memory run out.
    void set_cells(std::size_t which, const std::uint32_t* cells, std::size_t n_leaves) {
        joint_detail::SplitFeature feature{features_[which].n_bins, n_leaves, 0, {}, {}, {}};
        feature.stride = (feature.n_bins + joint_detail::WIDTH - 1) / joint_detail::WIDTH * joint_detail::WIDTH;
        feature.cells.resize(n_rows_);
        for (std::size_t k = 0; k < n_rows_; ++k) {
            const std::size_t cell = cells[order_[k]];
            feature.cells[k] =
                static_cast<std::uint32_t>(cell / feature.n_bins * feature.stride + cell % feature.n_bins);
        }
        feature.inverse.assign(feature.n_cells(), 0.0);
        for (std::size_t k = 0; k < n_weighted_; ++k) feature.inverse[feature.cells[k]] += weight_[k];
        feature.freedom.assign(n_leaves, 0.0);
        for (std::size_t cell = 0; cell < feature.n_cells(); ++cell) {
            double& value = feature.inverse[cell];
            if (value > 0.0) feature.freedom[cell / feature.stride] += value / (value + ridge_);
            value = value > 0.0 ? 1.0 / (value + ridge_) : 0.0;
        }
        std::vector<std::vector<LeafSplit>> none(tried_[which].size());
        found_[which].swap(none);
        features_[which] = std::move(feature);
        thresholds_[which].clear();
    }

    // Cyclic updates of the histogram model, of one output after the other.
    void backfit(int n_sweeps, double* residual, std::size_t n_outputs) {
        for (std::size_t output = 0; output < n_outputs; ++output) backfit(n_sweeps, residual + output * n_rows_);
    }

    // Every cell takes the shrunken mean of its residuals, in doubt less what is chance.
    void backfit(int n_sweeps, double* residual) {
        for (std::size_t k = 0; k < n_rows_; ++k) residual_[k] = residual[order_[k]];
        std::vector<double> heights, sums;
        const std::uint32_t* last = nullptr;  // cells of the feature whose heights the rows have yet to lose
        for (int sweep = 0; sweep < n_sweeps; ++sweep) {
            if (doubt_ && last) take_off(heights, std::exchange(last, nullptr));
            const double noise = doubt_ ? mean_square() : 0.0;  // at most this much of the residual is noise
            for (const std::size_t turn : turns_) {
                const joint_detail::SplitFeature& feature = features_[turn];
                sums.assign(feature.n_cells(), 0.0);
                const std::uint32_t* cells = feature.cells.data();
                if (last)
                    for (std::size_t k = 0; k < n_weighted_; ++k) {
                        residual_[k] -= heights[last[k]];
                        sums[cells[k]] += weight_[k] * residual_[k];
                    }
                else
                    for (std::size_t k = 0; k < n_weighted_; ++k) sums[cells[k]] += weight_[k] * residual_[k];
                if (last)
                    for (std::size_t k = n_weighted_; k < n_rows_; ++k) residual_[k] -= heights[last[k]];
                for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf)
                    if (to_heights(feature, leaf, noise, sums)) moved_[turn] = true;
                heights.swap(sums);
                last = cells;
            }
        }
        if (last) take_off(heights, last);
        for (std::size_t k = 0; k < n_rows_; ++k) residual[order_[k]] = residual_[k];
    }

    // splits: one per leaf of every feature, one feature after the other. Conditions on a feature that gained
    // less than `at_least` when they were last tried are not tried again, unless the feature was split since.
    // residual: n_outputs x n_rows; gains are summed over the outputs, and so is the noise.
    void splits(const double* residual, std::size_t n_outputs, double noise, double at_least, int n_threads,
                std::vector<std::vector<LeafSplit>>& splits) {
        n_outputs_ = n_outputs;
        residual_.resize(std::max(residual_.size(), n_outputs * n_rows_));
        for (std::size_t output = 0; output < n_outputs; ++output)
            for (std::size_t k = 0; k < n_weighted_; ++k)
                residual_[output * n_rows_ + k] = weight_[k] * residual[output * n_rows_ + order_[k]];
        splits.assign(features_.size(), {});
        parallel_for(features_.size(), n_threads, [&](std::size_t which) {
            const joint_detail::SplitFeature& feature = features_[which];
            splits[which].resize(feature.n_leaves);
            std::vector<joint_detail::Thresholds>& kept = thresholds_[which];
            const std::vector<std::size_t>& tried = tried_[which];
            const bool fits = fits_in_memory(which);
            if (fits) kept.resize(tried.size());
            joint_detail::Thresholds made;
            for (std::size_t place = 0; place < tried.size(); ++place) {
                const std::size_t j = tried[place];
                if (candidate_index_[j] == which || candidates_[j].n_conditions == 0) continue;
                std::vector<LeafSplit>& best = found_[which][place];
                const bool is_promising = std::any_of(best.begin(), best.end(),
                                                      [&](const LeafSplit& split) { return split.gain >= at_least; });
                if (best.empty() || is_promising) {
                    best.assign(feature.n_leaves, {});
                    if (candidates_[j].ordered) {
                        joint_detail::Thresholds& thresholds = fits ? kept[place] : made;
                        if (!fits || thresholds.left.empty()) thresholds = thresholds_of(feature, j);
                        try_thresholds(feature, j, thresholds, noise, best);
                    } else {
                        try_levels(feature, j, noise, best);
                    }
                }
                for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf)
                    if (best[leaf].gain > splits[which][leaf].gain) splits[which][leaf] = best[leaf];
            }
        });
    }

   private:
    static constexpr double MAX_KEPT_VALUES = 1 << 24;  // of all features together

    template <typename Value>
    std::vector<Value> in_order(const Value* values) const {
        std::vector<Value> ordered(n_rows_);
        for (std::size_t k = 0; k < n_rows_; ++k) ordered[k] = values[order_[k]];
        return ordered;
    }

    void take_off(const std::vector<double>& heights, const std::uint32_t* cells) {
        for (std::size_t k = 0; k < n_rows_; ++k) residual_[k] -= heights[cells[k]];
    }

    double mean_square() const {
        double sum = 0.0;
        for (std::size_t k = 0; k < n_weighted_; ++k) sum += weight_[k] * residual_[k] * residual_[k];
        return total_weight_ > 0.0 ? sum / total_weight_ : 0.0;
    }

    // From the residual sums of a leaf's cells to what the curve there gains in height; false if that is nothing.
    // By chance alone heights take away the variance of the residual for every degree of freedom. In doubt that
    // share of what they do take away is no merit, and shrinks them (as James and Stein do); a curve stays as it is
    // unless it takes away more than chance would in one of exp(doubt) cases (the tail of chi-squared).
    bool to_heights(const joint_detail::SplitFeature& feature, std::size_t leaf, double noise,
                    std::vector<double>& sums) const {
        double merit = 1.0;
        const std::size_t first = leaf * feature.stride, end = first + feature.stride;
        if (doubt_) {
            double gain = 0.0;
            for (std::size_t cell = first; cell < end; ++cell) gain += sums[cell] * sums[cell] * feature.inverse[cell];
            const double chance = noise * feature.freedom[leaf];
            const double surprise = 2.0 * noise * (std::sqrt(feature.freedom[leaf] * *doubt_) + *doubt_);
            merit = gain > chance + surprise ? 1.0 - chance / gain : 0.0;
        }
        for (std::size_t cell = first; cell < end; ++cell) sums[cell] *= merit * feature.inverse[cell];
        return merit > 0.0;
    }

    bool fits_in_memory(std::size_t which) const {
        const joint_detail::SplitFeature& feature = features_[which];
        double n_divisions = 0.0;
        for (const std::size_t j : tried_[which]) n_divisions += static_cast<double>(candidates_[j].n_conditions);
        const auto n_features = static_cast<double>(features_.size());
        return 2.0 * n_divisions * static_cast<double>(feature.n_cells()) * n_features < MAX_KEPT_VALUES;
    }

    // Everything about thresholds on one feature that does not depend on the residual.
    joint_detail::Thresholds thresholds_of(const joint_detail::SplitFeature& feature, std::size_t j) const {
        const std::size_t n_cells = feature.n_cells(), n_conditions = candidates_[j].n_conditions;
        const std::size_t missing = n_conditions + 1;
        std::vector<joint_detail::Sum> sums((missing + 1) * n_cells), total(n_cells), left(n_cells);
        for (std::size_t k = 0; k < n_weighted_; ++k)
            sums[candidates_[j].codes[k] * n_cells + feature.cells[k]].add_row(0.0, weight_[k]);
        joint_detail::Thresholds made;
        for (std::size_t code = 0; code <= missing; ++code)
            for (std::size_t cell = 0; cell < n_cells; ++cell) {
                total[cell] += sums[code * n_cells + cell];
                made.any_missing |= code == missing && sums[code * n_cells + cell].n_rows > 0.0;
            }
        // divisions: thresholds, missing on the right; missing on the left; "is not missing"
        const std::size_t n_divisions = made.any_missing ? 2 * n_conditions + 1 : n_conditions;
        made.left.assign(n_divisions * n_cells, 0.0);
        made.right.assign(n_divisions * n_cells, 0.0);
        made.n_divided.assign(n_divisions * feature.n_leaves, 0.0);
        made.steps.assign(n_divisions * feature.n_leaves, {});
        const joint_detail::Sum* of_missing = sums.data() + missing * n_cells;
        const auto add = [&](std::size_t division) {
            for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf) {
                double n_left = 0.0, n_right = 0.0, n_missing = 0.0, n_divided = 0.0, left_weight = 0.0, weight = 0.0;
                joint_detail::Step& step = made.steps[division * feature.n_leaves + leaf];
                for (std::size_t cell = leaf * feature.stride; cell < (leaf + 1) * feature.stride; ++cell) {
                    const joint_detail::Sum right = total[cell] - left[cell];
                    n_left += left[cell].n_rows;
                    n_right += right.n_rows;
                    n_missing += of_missing[cell].n_rows;
                    if (left[cell].n_rows == 0.0 || right.n_rows == 0.0) continue;  // the bin stays whole
                    n_divided += 1.0;
                    left_weight += left[cell].weight;
                    weight += total[cell].weight;
                    step.spread += left[cell].weight * right.weight / total[cell].weight;
                    made.left[division * n_cells + cell] = 1.0 / (left[cell].weight + ridge_);
                    made.right[division * n_cells + cell] = 1.0 / (right.weight + ridge_);
                }
                if (weight > 0.0) step.share = left_weight / weight;
                const bool enough = n_left >= min_rows_ && n_right >= min_rows_ &&
                                    (division < n_conditions || n_missing > 0.0);  // else it is one of the first again
                made.n_divided[division * feature.n_leaves + leaf] = enough ? n_divided : -1.0;
            }
        };
        for (int missing_left = 0; missing_left <= static_cast<int>(made.any_missing); ++missing_left) {
            for (std::size_t cell = 0; cell < n_cells; ++cell)
                left[cell] = missing_left ? of_missing[cell] : joint_detail::Sum{};
            for (std::size_t t = 0; t < n_conditions; ++t) {
                for (std::size_t cell = 0; cell < n_cells; ++cell) left[cell] += sums[t * n_cells + cell];
                add(static_cast<std::size_t>(missing_left) * n_conditions + t);
            }
        }
        if (made.any_missing) {
            for (std::size_t cell = 0; cell < n_cells; ++cell) left[cell] = total[cell] - of_missing[cell];
            add(2 * n_conditions);
        }
        return made;
    }

    void try_thresholds(const joint_detail::SplitFeature& feature, std::size_t j,
                        const joint_detail::Thresholds& thresholds, double noise, std::vector<LeafSplit>& best) const {
        const std::size_t n_conditions = candidates_[j].n_conditions, missing = n_conditions + 1;
        const std::size_t n_divisions = thresholds.any_missing ? 2 * n_conditions + 1 : n_conditions;
        std::vector<double> gains(n_divisions * feature.n_leaves, 0.0);
        for (std::size_t output = 0; output < n_outputs_; ++output)
            add_gains(feature, j, thresholds, residual_.data() + output * n_rows_, gains);
        const auto judge = [&](std::size_t division, auto&& goes_left) {
            for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf) {
                const double n_divided = thresholds.n_divided[division * feature.n_leaves + leaf];
                if (n_divided < 0.0) continue;
                const double gain = gains[division * feature.n_leaves + leaf] - n_divided * noise;
                if (gain <= best[leaf].gain) continue;
                best[leaf].gain = gain;
                best[leaf].candidates = static_cast<std::int32_t>(j);
                best[leaf].left.resize(missing + 1);
                for (std::size_t code = 0; code <= missing; ++code) best[leaf].left[code] = goes_left(code);
            }
        };
        if (thresholds.any_missing) judge(2 * n_conditions, [&](std::size_t code) { return code != missing; });
        for (int missing_left = 0; missing_left <= static_cast<int>(thresholds.any_missing); ++missing_left)
            for (std::size_t t = 0; t < n_conditions; ++t)
                judge(static_cast<std::size_t>(missing_left) * n_conditions + t,
                      [&](std::size_t code) { return code == missing ? missing_left : code <= t; });
    }

    // Adds what every division of every leaf gains of one output's (weighted) residual, before noise.
    void add_gains(const joint_detail::SplitFeature& feature, std::size_t j, const joint_detail::Thresholds& thresholds,
                   const double* residual, std::vector<double>& gains) const {
        const std::size_t n_cells = feature.n_cells(), n_conditions = candidates_[j].n_conditions;
        const std::size_t missing = n_conditions + 1;
        std::vector<double> sums((missing + 1) * n_cells), total(n_cells), whole(n_cells), left(n_cells);
        const std::uint16_t* codes = candidates_[j].codes;
        const std::uint32_t* cells = feature.cells.data();
        for (std::size_t k = 0; k < n_weighted_; ++k) sums[codes[k] * n_cells + cells[k]] += residual[k];
        for (std::size_t code = 0; code <= missing; ++code)
            for (std::size_t cell = 0; cell < n_cells; ++cell) total[cell] += sums[code * n_cells + cell];
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            whole[cell] = total[cell] * total[cell] * feature.inverse[cell];
        std::vector<double> heights(feature.n_leaves);
        const auto add = [&](std::size_t division) {
            const joint_detail::Step* steps = thresholds.steps.data() + division * feature.n_leaves;
            double* gain = gains.data() + division * feature.n_leaves;
            for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf) {
                const std::size_t first = leaf * feature.stride, at = division * n_cells + first;
                const double* inverse_left = thresholds.left.data() + at;
                gain[leaf] += joint_detail::leaf_gain(left.data() + first, total.data() + first, whole.data() + first,
                                                      inverse_left, thresholds.right.data() + at, feature.stride);
                if (charge_steps_)
                    heights[leaf] = joint_detail::leaf_height(left.data() + first, total.data() + first, inverse_left,
                                                              feature.stride, steps[leaf].share);
            }
            if (charge_steps_) joint_detail::take_off_step(steps, heights.data(), feature.n_leaves, gain);
        };
        const double* of_missing = sums.data() + missing * n_cells;
        if (thresholds.any_missing) {
            for (std::size_t cell = 0; cell < n_cells; ++cell) left[cell] = total[cell] - of_missing[cell];
            add(2 * n_conditions);
        }
        for (int missing_left = 0; missing_left <= static_cast<int>(thresholds.any_missing); ++missing_left) {
            for (std::size_t cell = 0; cell < n_cells; ++cell) left[cell] = missing_left ? of_missing[cell] : 0.0;
            for (std::size_t t = 0; t < n_conditions; ++t) {
                for (std::size_t cell = 0; cell < n_cells; ++cell) left[cell] += sums[t * n_cells + cell];
                add(static_cast<std::size_t>(missing_left) * n_conditions + t);
            }
        }
    }

    // Conditions that name levels: which are tried together depends on the residual. The bins of every output are
    // bins like others, whose rows are counted once for each output.
    void try_levels(const joint_detail::SplitFeature& feature, std::size_t j, double noise,
                    std::vector<LeafSplit>& best) const {
        const std::size_t n_codes = candidates_[j].n_conditions + 2, stride = feature.stride * n_codes;
        const double n_outputs = static_cast<double>(n_outputs_);
        std::vector<joint_detail::Sum> histogram(feature.n_cells() * n_codes * n_outputs_);
        for (std::size_t output = 0; output < n_outputs_; ++output) {
            const double* residual = residual_.data() + output * n_rows_;
            for (std::size_t k = 0; k < n_weighted_; ++k) {  // [leaf: output: bins | output: bins | ...]
                const std::size_t leaf = feature.cells[k] / feature.stride, bin = feature.cells[k] % feature.stride;
                const std::size_t line = leaf * n_outputs_ * stride + (output * feature.n_bins + bin) * n_codes;
                histogram[line + candidates_[j].codes[k]].add_row(residual[k], weight_[k]);
            }
        }
        for (std::size_t leaf = 0; leaf < feature.n_leaves; ++leaf)
            joint_detail::try_levels({histogram.data() + leaf * n_outputs_ * stride, feature.n_bins * n_outputs_,
                                      candidates_[j].n_conditions, subsets_[j]},
                                     static_cast<std::int32_t>(j), {min_rows_ * n_outputs, ridge_, noise / n_outputs},
                                     best[leaf]);
    }

    std::size_t n_outputs_ = 1;
    std::size_t n_rows_, n_weighted_;
    double min_rows_, ridge_, total_weight_;
    std::optional<double> doubt_;
    bool charge_steps_;
    std::vector<CandidateCodes> candidates_;
    std::vector<std::size_t> candidate_index_;
    std::vector<bool> subsets_;
    std::vector<std::size_t> turns_;
    std::vector<std::uint32_t> order_;  // rows with weight first
    std::vector<double> weight_, residual_;
    std::vector<std::vector<std::uint16_t>> codes_;  // of the candidates, in this order
    std::vector<joint_detail::SplitFeature> features_;
    std::vector<bool> moved_;                                        // by feature: its curve is not flat
    std::vector<std::vector<std::size_t>> tried_;                    // by feature: candidates
    std::vector<std::vector<joint_detail::Thresholds>> thresholds_;  // by feature and place in tried_
    std::vector<std::vector<std::vector<LeafSplit>>> found_;         // by feature, place in tried_ and leaf
};

}  // namespace calmgam
