#include "btg/factor/block_slopes.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/factor/block_cross.hpp"
#include "btg/factor/block_whitening.hpp"

namespace btg {

namespace {

// dV at scaled points in the units of the inputs: for each input, inducing x points.
Eigen::MatrixXd slopes_of_v(const BlockPoints& at) {
  const BlockState& state = *at.state;
  const int sites = state.inducing_sites(), count = static_cast<int>(at.points.rows());
  Eigen::MatrixXd slopes =
      Eigen::MatrixXd::Zero(state.inducing(), Eigen::Index{count} * state.columns());
  if (sites > 0) {
    Eigen::MatrixXd of_sites =
        at.covariance.only(full_rank_terms(at.covariance))
            .cross_slopes(state.inducing_points.data(), sites, at.points.data(), count);
    state.compute().solve_lower(state.inducing_root.data(), sites, of_sites.data(),
                                static_cast<int>(of_sites.cols()));
    slopes.topRows(sites) = of_sites;
  }
  for (std::size_t k = 0; k < state.low_rank.size(); ++k) {
    const LowRankFunction& f = state.low_rank[k];
    if (f.level || f.column < 0) continue;
    slopes.block(sites + static_cast<int>(k), Eigen::Index{count} * f.column, 1, count) =
        low_rank_slopes(at.covariance, f, at.points).transpose();
  }
  return slopes;
}

// A group of points with dv and dc. Columns are the points of the group for each input.
struct SlopedGroup {
  PointGroup group;
  ResidualRoot root;
  Eigen::MatrixXd v, c;

  int size() const { return static_cast<int>(group.points.size()); }
  int count() const { return static_cast<int>(group.sites.size()); }
  // The column of a point, numbered within the group, for an input.
  Eigen::Index column(int input, int point) const { return Eigen::Index{size()} * input + point; }
};

// x <- L_A^-1 x
void solve_lower(const BlockState& state, const SlopedGroup& of, Eigen::MatrixXd& x) {
  state.compute().solve_lower(of.root.l(), of.count(), x.data(), static_cast<int>(x.cols()));
}

// x <- L_A^-T x
void solve_upper(const BlockState& state, const SlopedGroup& of, Eigen::MatrixXd& x) {
  state.compute().solve_lower_transposed(of.root.l(), of.count(), x.data(),
                                         static_cast<int>(x.cols()));
}

// y <- y + scale V_A'x
void add_transposed_v(const BlockState& state, const SlopedGroup& of, double scale,
                      const Eigen::MatrixXd& x, Eigen::MatrixXd& y) {
  const int r = state.inducing();
  if (r == 0) return;
  state.compute().add_product(scale, {of.root.v(), r, true}, {x.data(), r, false}, of.count(), r,
                              static_cast<int>(x.cols()), y.data(), of.count());
}

// Calls visit(sloped) for every group of points, on several threads.
template <class Visit>
void for_each_sloped(const BlockPoints& at, SiteGroups groups, Visit visit) {
  const BlockState& state = *at.state;
  const Eigen::MatrixXd dv = slopes_of_v(at);
  const Eigen::Index all = at.points.rows();
  parallel_for(static_cast<long>(groups.size()), state.execution, [&](long g) {
    SlopedGroup of{
        {std::move(groups[g].points), std::move(groups[g].sites), {}, {}, {}}, {}, {}, {}};
    at.predict_residual(of.group, of.root);
    of.v.resize(state.inducing(), of.column(state.columns(), 0));
    for (int k = 0; k < state.columns(); ++k) {
      for (int j = 0; j < of.size(); ++j) {
        of.v.col(of.column(k, j)) = dv.col(all * k + of.group.points[j]);
      }
    }
    const Eigen::MatrixXd points = select_rows(at.points, of.group.points);
    of.c = at.covariance.cross_slopes(of.root.points(), of.count(), points.data(), of.size());
    add_transposed_v(state, of, -1.0, of.v, of.c);
    visit(of);
  });
}

}  // namespace

CrossSlopes block_cross_slopes(const std::shared_ptr<const BlockState>& all,
                               const Eigen::MatrixXd& inputs, const KeptTerms& kept,
                               const Eigen::MatrixXd& prepared) {
  const LocalSites sites(all, all->structure->groups_of(inputs));
  const std::shared_ptr<const BlockState>& state = sites.state;
  const BlockPoints at(state, inputs, kept);
  const Eigen::MatrixXd at_sites = sites.select(prepared);
  const Eigen::Index m = inputs.rows();
  const int d = state->columns();
  const Eigen::MatrixXd u = prepared.bottomRows(state->inducing());
  CrossSlopes result{at.covariance.variance_slopes(at.points), Eigen::MatrixXd(m, d),
                     std::vector<Eigen::MatrixXd>(d, Eigen::MatrixXd(prepared.cols(), m))};
  for_each_sloped(at, sites.groups, [&](const SlopedGroup& of) {
    Eigen::MatrixXd g = of.group.h;
    solve_h(*state, g);
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(of.count(), of.size());
    add_transposed_v(*state, of, 1.0, g, a);
    solve_lower(*state, of, a);
    a += of.group.whitened;
    solve_upper(*state, of, a);
    Eigen::MatrixXd q = values_at(at_sites, of.group.sites);
    solve_lower(*state, of, q);
    solve_upper(*state, of, q);
    for (int j = 0; j < of.size(); ++j) {
      const int i = of.group.points[j];
      const Eigen::VectorXd unexplained = at.v.col(i) - g.col(j);
      for (int k = 0; k < d; ++k) {
        const auto dv = of.v.col(of.column(k, j));
        const auto dc = of.c.col(of.column(k, j));
        result.explained(i, k) = 2.0 * (dv.dot(unexplained) + dc.dot(a.col(j)));
        result.times[k].col(i) = u.transpose() * dv + q.transpose() * dc;
      }
    }
  });
  return result;
}

WhitenedSlopes block_whitened_slopes(const std::shared_ptr<const BlockState>& all,
                                     const Eigen::MatrixXd& inputs, const KeptTerms& kept) {
  const LocalSites sites(all, all->structure->groups_of(inputs));
  const std::shared_ptr<const BlockState>& state = sites.state;
  const BlockPoints at(state, inputs, kept);
  const SiteGroups& groups = sites.groups;
  const Eigen::Index m = inputs.rows();
  const int d = state->columns(), r = state->inducing();
  std::size_t most = 0;
  for (const SiteGroup& group : groups) most = std::max(most, group.sites.size());
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(r + static_cast<Eigen::Index>(most), m);
  WhitenedSlopes result{at.covariance.slope_covariance(), std::vector<Eigen::MatrixXd>(d, zero),
                        std::vector<Eigen::MatrixXd>(d, Eigen::MatrixXd(r, m))};
  for_each_sloped(at, groups, [&](const SlopedGroup& of) {
    Eigen::MatrixXd whitened = of.c;
    solve_lower(*state, of, whitened);
    Eigen::MatrixXd solved = whitened, error = of.v;
    solve_upper(*state, of, solved);
    if (r > 0) {
      state->compute().add_product(-1.0, {of.root.v(), r, false},
                                   {solved.data(), of.count(), false}, r, of.count(),
                                   static_cast<int>(solved.cols()), error.data(), r);
    }
    error = at.root_of_h(std::move(error));
    for (int k = 0; k < d; ++k) {
      for (int j = 0; j < of.size(); ++j) {
        const int i = of.group.points[j];
        const Eigen::Index column = of.column(k, j);
        result.of_columns[k].col(i).head(r) = of.v.col(column);
        result.of_columns[k].col(i).segment(r, of.count()) = whitened.col(column);
        result.errors[k].col(i) = error.col(column);
      }
    }
  });
  return result;
}

}  // namespace btg
