// Boosted trees over slots (DESIGN 1.1): the default reference.
//
// A round fits one tree to the gradients of all training rows. It grows best leaf first: every leaf knows
// its best split from the histograms of its rows, one per feature; only the smaller child of a split passes
// over its rows, the sums of the other are what is left. A number has few bins in one tree, and other ones in
// the next; it goes left up to a slot, levels in the order of their gradients; missing values learn their
// side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "losses.hpp"
#include "order.hpp"
#include "threads.hpp"

namespace calmgam::trees {

struct Table {
    std::size_t n_rows;
    const std::uint16_t* codes;  // n_features x n_rows: slots, the last one for missing values
    std::vector<std::size_t> n_slots;
    std::vector<bool> ordered;  // numbers, not levels
    const std::uint16_t* column(std::size_t feature) const { return codes + feature * n_rows; }
};

struct Settings {
    int max_rounds, patience;
    double validation_share;  // share of the rows that a tree does not see
    double learning_rate;
    std::size_t max_leaves;
    double min_rows, ridge, level_smoothing;
    std::size_t max_bins;  // of a number in one tree
    double max_step;       // most that a whole step, before the learning rate, may move a score
    std::uint64_t seed;
};

// All nodes of all trees, one after the other.
struct Nodes {
    std::vector<std::int32_t> roots;
    std::vector<std::int32_t> features;  // -1 at a leaf
    std::vector<std::int32_t> slots;     // the last one that goes left, of ordered features
    std::vector<std::int32_t> left, right;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::int32_t> left_codes;  // where the flags of a levels' node begin, else -1
    std::vector<std::uint8_t> code_goes_left;
    std::vector<double> values;

    std::int32_t add_leaf(double value) {
        features.push_back(-1), slots.push_back(0), left.push_back(-1), right.push_back(-1);
        missing_left.push_back(0), left_codes.push_back(-1), values.push_back(value);
        return static_cast<std::int32_t>(values.size()) - 1;
    }
    // Drops the trees from `n_trees` on, whose nodes are the last ones.
    void keep_trees(std::size_t n_trees) {
        if (n_trees == roots.size()) return;
        const auto n_nodes = static_cast<std::size_t>(roots[n_trees]);
        for (auto* array : {&features, &slots, &left, &right, &left_codes}) array->resize(n_nodes);
        missing_left.resize(n_nodes), values.resize(n_nodes), roots.resize(n_trees);
    }
    bool goes_left(std::size_t node, std::size_t code, std::size_t n_slots) const {
        if (code + 1 == n_slots) return missing_left[node];
        return left_codes[node] < 0 ? static_cast<std::int32_t>(code) <= slots[node]
                                    : code_goes_left[static_cast<std::size_t>(left_codes[node]) + code];
    }
};

struct Sum {
    double gradient = 0.0, hessian = 0.0, n_rows = 0.0;
    Sum& operator+=(const Sum& other) {
        gradient += other.gradient, hessian += other.hessian, n_rows += other.n_rows;
        return *this;
    }
    Sum operator-(const Sum& other) const {
        return {gradient - other.gradient, hessian - other.hessian, n_rows - other.n_rows};
    }
    double worth(double ridge) const { return gradient * gradient / (hessian + ridge); }
};

struct Split {
    double gain = 0.0;
    std::size_t feature = 0;
    std::size_t slot = 0;
    bool missing_left = false;
    Sum sum;                         // of the rows on the left
    std::vector<std::uint8_t> left;  // of every slot but the missing one, if the feature has levels
};

struct Leaf {
    std::int32_t node = 0;
    std::size_t begin = 0, end = 0;  // of its rows
    Sum total;
    std::vector<Sum> histograms;  // of all features, one after the other
    Split best;
};

class Booster {
   public:
    Booster(const Table& table, const Settings& settings, int n_threads)
        : table_(table),
          settings_(settings),
          n_threads_(n_threads),
          random_(settings.seed),
          first_(table.n_slots.size() + 1, 0),
          last_slots_(table.n_slots.size()),
          bins_(table.n_slots.size() * table.n_rows) {}

    // Adds a tree that is fitted to the gradients of some rows, and its leaf values to their scores.
    void add_tree(const std::vector<Sum>& steps, const std::vector<std::uint32_t>& rows, Nodes& nodes, double* score) {
        rows_ = rows;
        draw_cuts();
        moved_.resize(rows.size());
        gathered_.resize(rows.size());
        std::vector<Leaf> leaves(1);
        leaves[0].end = rows.size();
        for (const std::uint32_t row : rows) leaves[0].total += steps[row];
        leaves[0].node = nodes.add_leaf(value_of(leaves[0].total));
        nodes.roots.push_back(leaves[0].node);
        fill(leaves[0], steps);
        find_best(leaves[0]);
        while (leaves.size() < settings_.max_leaves) {
            const auto best = std::max_element(leaves.begin(), leaves.end(),
                                               [](const Leaf& a, const Leaf& b) { return a.best.gain < b.best.gain; });
            if (best->best.gain <= 0.0) break;
            const std::size_t which = static_cast<std::size_t>(best - leaves.begin());
            leaves.emplace_back();
            const bool last = leaves.size() == settings_.max_leaves;
            split(leaves[which], leaves.back(), steps, nodes, last);
        }
        for (const Leaf& leaf : leaves)
            for (std::size_t k = leaf.begin; k < leaf.end; ++k)
                score[rows_[k]] += nodes.values[static_cast<std::size_t>(leaf.node)];
    }

    // Uniform on [0, 1).
    double next_random() {
        random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(random_ >> 11) * 0x1p-53;
    }

   private:
    double value_of(const Sum& sum) const {
        const double height = settings_.learning_rate * sum.gradient / (sum.hessian + settings_.ridge + 1e-12);
        const double most = settings_.learning_rate * settings_.max_step;
        return std::min(std::max(height, -most), most);
    }

    bool can_split(const Leaf& leaf) const { return leaf.total.n_rows >= 2.0 * settings_.min_rows; }

    // Every tree sees other cuts: few of them at once, all of them over the rounds.
    void draw_cuts() {
        for (std::size_t feature = 0; feature < last_slots_.size(); ++feature) {
            const std::size_t n_values = table_.n_slots[feature] - 1;  // and missing
            const double shift = next_random();
            std::vector<std::size_t>& last = last_slots_[feature];
            if (table_.ordered[feature] && n_values > settings_.max_bins) {
                const double step = static_cast<double>(n_values - 1) / static_cast<double>(settings_.max_bins - 1);
                last.clear();
                for (std::size_t bin = 0; bin + 1 < settings_.max_bins; ++bin)
                    last.push_back(static_cast<std::size_t>((static_cast<double>(bin) + shift) * step));
                last.push_back(n_values - 1);
                last.push_back(n_values);
            } else {
                last.resize(n_values + 1);
                std::iota(last.begin(), last.end(), std::size_t{0});
            }
            first_[feature + 1] = first_[feature] + last.size();
        }
        parallel_for(last_slots_.size(), threads_for(table_.n_rows), [&](std::size_t feature) {
            std::vector<std::uint16_t> bin_of_slot(table_.n_slots[feature]);
            for (std::size_t slot = 0, bin = 0; slot < bin_of_slot.size(); ++slot) {
                if (slot > last_slots_[feature][bin]) ++bin;
                bin_of_slot[slot] = static_cast<std::uint16_t>(bin);
            }
            const std::uint16_t* slots = table_.column(feature);
            std::uint16_t* bins = bins_.data() + feature * table_.n_rows;
            for (std::size_t row = 0; row < table_.n_rows; ++row) bins[row] = bin_of_slot[slots[row]];
        });
    }

    void fill(Leaf& leaf, const std::vector<Sum>& steps) {
        leaf.histograms.assign(first_.back(), Sum{});
        const std::size_t n = leaf.end - leaf.begin;
        for (std::size_t k = 0; k < n; ++k) gathered_[k] = steps[rows_[leaf.begin + k]];
        const std::uint32_t* rows = rows_.data() + leaf.begin;
        parallel_for(table_.n_slots.size(), threads_for(n), [&](std::size_t feature) {
            const std::uint16_t* bins = bins_.data() + feature * table_.n_rows;
            Sum* sums = leaf.histograms.data() + first_[feature];
            for (std::size_t k = 0; k < n; ++k) sums[bins[rows[k]]] += gathered_[k];
        });
    }

    int threads_for(std::size_t n_rows) const { return n_rows < 20000 ? 1 : n_threads_; }

    // The old leaf becomes the left child, the new one the right.
    void split(Leaf& left, Leaf& right, const std::vector<Sum>& steps, Nodes& nodes, bool last) {
        const Split chosen = std::move(left.best);
        const auto node = static_cast<std::size_t>(left.node);
        nodes.features[node] = static_cast<std::int32_t>(chosen.feature);
        nodes.slots[node] = static_cast<std::int32_t>(chosen.slot);
        nodes.missing_left[node] = chosen.missing_left;
        if (!table_.ordered[chosen.feature]) {
            nodes.left_codes[node] = static_cast<std::int32_t>(nodes.code_goes_left.size());
            nodes.code_goes_left.insert(nodes.code_goes_left.end(), chosen.left.begin(), chosen.left.end());
        }
        const std::size_t n_slots = table_.n_slots[chosen.feature];
        std::vector<std::uint8_t> slot_goes_left(n_slots);
        for (std::size_t slot = 0; slot < n_slots; ++slot) slot_goes_left[slot] = nodes.goes_left(node, slot, n_slots);
        const std::uint16_t* slots = table_.column(chosen.feature);
        std::size_t n_left = left.begin, n_right = 0;
        for (std::size_t k = left.begin; k < left.end; ++k) {  // without a branch, which would be guessed wrong
            const std::uint32_t row = rows_[k];
            const std::uint8_t goes_left = slot_goes_left[slots[row]];
            rows_[n_left] = moved_[n_right] = row;
            n_left += goes_left;
            n_right += 1 - goes_left;
        }
        std::copy(moved_.begin(), moved_.begin() + static_cast<std::ptrdiff_t>(n_right),
                  rows_.begin() + static_cast<std::ptrdiff_t>(n_left));
        right.begin = n_left, right.end = left.end, left.end = n_left;
        right.total = left.total - chosen.sum, left.total = chosen.sum;
        nodes.left[node] = left.node = nodes.add_leaf(value_of(left.total));
        nodes.right[node] = right.node = nodes.add_leaf(value_of(right.total));
        left.best = right.best = Split{};
        if (last || !(can_split(left) || can_split(right))) return;
        Leaf& smaller = left.end - left.begin <= right.end - right.begin ? left : right;
        Leaf& larger = &smaller == &left ? right : left;
        std::vector<Sum> both = std::move(left.histograms);
        fill(smaller, steps);
        for (std::size_t k = 0; k < both.size(); ++k) both[k] = both[k] - smaller.histograms[k];
        larger.histograms = std::move(both);
        find_best(left);
        find_best(right);
    }

    void find_best(Leaf& leaf) const {
        if (!can_split(leaf)) return;
        for (std::size_t feature = 0; feature < table_.n_slots.size(); ++feature) {
            const Sum* sums = leaf.histograms.data() + first_[feature];
            table_.ordered[feature] ? try_numbers(leaf, feature, sums) : try_levels(leaf, feature, sums);
        }
    }

    bool improves(const Leaf& leaf, const Sum& left, double& gain) const {
        const Sum right = leaf.total - left;
        if (left.n_rows < settings_.min_rows || right.n_rows < settings_.min_rows) return false;
        if (left.hessian < MIN_HESSIAN || right.hessian < MIN_HESSIAN) return false;
        gain = left.worth(settings_.ridge) + right.worth(settings_.ridge) - leaf.total.worth(settings_.ridge);
        return gain > leaf.best.gain * (1.0 + 1e-9);  // of equals, but for rounding, the first
    }

    void try_numbers(Leaf& leaf, std::size_t feature, const Sum* sums) const {
        const std::vector<std::size_t>& last = last_slots_[feature];
        const std::size_t missing = last.size() - 1;
        const bool any_missing = sums[missing].n_rows > 0.0;
        double gain;
        for (int missing_left = 0; missing_left <= static_cast<int>(any_missing); ++missing_left) {
            Sum left = missing_left ? sums[missing] : Sum{};
            for (std::size_t bin = 0; bin < missing; ++bin) {
                if (sums[bin].n_rows == 0.0) continue;
                left += sums[bin];
                if (!improves(leaf, left, gain)) continue;
                const bool follows = any_missing ? missing_left : 2.0 * left.n_rows >= leaf.total.n_rows;
                leaf.best = {gain, feature, last[bin], follows, left, {}};
            }
        }
    }

    // Missing values are a level among others, if there are any.
    void try_levels(Leaf& leaf, std::size_t feature, const Sum* sums) const {
        const std::size_t n_slots = table_.n_slots[feature], missing = n_slots - 1;
        std::vector<std::size_t> levels;
        for (std::size_t slot = 0; slot < n_slots; ++slot)
            if (sums[slot].n_rows > 0.0) levels.push_back(slot);
        sort_by_height(levels, [&](std::size_t slot) {
            return sums[slot].gradient / (sums[slot].hessian + settings_.level_smoothing + 1e-12);
        });
        Sum left;
        double gain;
        for (std::size_t n = 1; n < levels.size(); ++n) {
            left += sums[levels[n - 1]];
            if (!improves(leaf, left, gain)) continue;
            // levels without rows follow the majority
            const bool follows = 2.0 * left.n_rows >= leaf.total.n_rows;
            std::vector<std::uint8_t> goes_left(n_slots, follows);
            for (std::size_t k = 0; k < levels.size(); ++k) goes_left[levels[k]] = k < n;
            const bool missing_left = goes_left[missing];
            goes_left.pop_back();
            leaf.best = {gain, feature, 0, missing_left, left, std::move(goes_left)};
        }
    }

    static constexpr double MIN_HESSIAN = 1e-3;  // of a leaf
    const Table& table_;
    const Settings& settings_;
    int n_threads_;
    std::uint64_t random_;
    std::vector<std::size_t> first_;                    // place of a feature among the sums of a leaf
    std::vector<std::vector<std::size_t>> last_slots_;  // of every bin of a feature
    std::vector<std::uint16_t> bins_;                   // n_features x n_rows
    std::vector<std::uint32_t> rows_, moved_;
    std::vector<Sum> gathered_;
};

// Adds the leaf value of the last tree to the scores of some rows.
inline void add_last_tree(const Table& table, const Nodes& nodes, const std::vector<std::uint32_t>& rows,
                          double* score) {
    for (const std::uint32_t row : rows) {
        auto node = static_cast<std::size_t>(nodes.roots.back());
        while (nodes.features[node] >= 0) {
            const auto feature = static_cast<std::size_t>(nodes.features[node]);
            const bool left = nodes.goes_left(node, table.column(feature)[row], table.n_slots[feature]);
            node = static_cast<std::size_t>(left ? nodes.left[node] : nodes.right[node]);
        }
        score[row] += nodes.values[node];
    }
}

struct Rows {
    const double *target, *weight, *offset;
};

// The losses of all rows at their present scores.
template <typename Loss>
struct Asked {
    Loss& loss;
    const Rows& rows;
    const std::vector<double>& score;
    void renew() {}
    Step<double> step(std::uint32_t row) const { return loss.step(rows.target[row], score[row], rows.weight[row]); }
    double cost(std::uint32_t row) const { return loss.cost(rows.target[row], score[row], rows.weight[row]); }
};

template <>
struct Asked<Given> {
    Given& loss;
    const Rows& rows;
    const std::vector<double>& score;
    std::vector<double> gradients = {}, hessians = {}, costs = {};
    void renew() {
        for (auto* answers : {&gradients, &hessians, &costs}) answers->resize(score.size());
        loss.ask(score.data(), 1, score.size(), gradients.data(), hessians.data(), costs.data());
    }
    Step<double> step(std::uint32_t row) const {
        return {rows.weight[row] * gradients[row], rows.weight[row] * hessians[row]};
    }
    double cost(std::uint32_t row) const { return rows.weight[row] * costs[row]; }
};

// Boosts from a score on, on all rows that have weight. A share of them, drawn anew, is kept from every tree and
// judges it: trees after which nothing was gained any more are dropped.
template <typename Loss>
Nodes boost(const Table& table, Loss& loss, const Rows& given, double base, const Settings& settings, int n_threads) {
    std::vector<std::uint32_t> rows, drawn, validation_rows;
    double weight = 0.0;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        if (given.weight[row] <= 0.0) continue;
        rows.push_back(static_cast<std::uint32_t>(row));
        weight += given.weight[row];
    }
    Nodes nodes;
    std::vector<double> score(table.n_rows);
    for (std::size_t row = 0; row < table.n_rows; ++row) score[row] = base + given.offset[row];
    std::vector<Sum> steps(table.n_rows);
    Asked<Loss> asked{loss, given, score};
    const auto cost = [&](const std::vector<std::uint32_t>& some) {
        asked.renew();
        double costs = 0.0;
        for (const std::uint32_t row : some) costs += asked.cost(row);
        return costs;
    };
    Booster booster(table, settings, n_threads);
    double gained = 0.0, most = 0.0;  // on rows kept out, over all trees so far
    int best_round = 0;
    for (int round = 1; round <= settings.max_rounds && round - best_round <= settings.patience; ++round) {
        drawn.clear();
        validation_rows.clear();
        for (const std::uint32_t row : rows)
            (settings.validation_share > 0.0 && booster.next_random() < settings.validation_share ? validation_rows
                                                                                                  : drawn)
                .push_back(row);
        if (Loss::ADAPTS) loss.adapt(cost(rows) / std::max(weight, 1e-300));
        asked.renew();
        for (const std::uint32_t row : drawn) {
            const Step<double> step = asked.step(row);
            steps[row] = {step.gradient, step.curvature, 1.0};
        }
        booster.add_tree(steps, drawn, nodes, score.data());
        const double before = cost(validation_rows);
        add_last_tree(table, nodes, validation_rows, score.data());
        gained += before - cost(validation_rows);
        if (validation_rows.empty() || gained > most) {
            most = gained;
            best_round = round;
        }
    }
    nodes.keep_trees(static_cast<std::size_t>(best_round));
    return nodes;
}

}  // namespace calmgam::trees
