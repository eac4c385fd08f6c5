// The price of a label where an item has a hard class, positive or negative, and every label is
// right with the same probability q: the sequential test of two hypotheses [Wald45].
//
// A label moves the log-odds L of positive by s = log(q / (1-q)), up or down. So the reachable
// states form a line L + k s, and the best rule asks until k = u or k = -l. Both ends and the time
// have closed forms (gambler's ruin, r = (1-q)/q): with L >= 0 and error probability e now,
//   gain   = e (1 - r^u) / (1 - r^(u+l)) (1 - exp(L - l s)),
//   labels = (mean of k at the end given the class) / (2q-1), averaged over the class.
// q below 1/2 reads as 1-q; a label with q = 1/2 carries no information.
//
// Cost: O((u + l)) steps of some 20 ns; u and l are about log(1/price) / s.
#pragma once

namespace allot::index {

/// The best rule and its worth.
struct CoinStopping {
  double gain = 0;    ///< V - h, after paying the price
  double labels = 0;  ///< expected number of labels; 0 if no label pays
};

/// Optimal stopping at a price > 0 per label, 0 <= reliability <= 1.
CoinStopping coin_stopping(double log_odds, double reliability, double price);

/// nu(L, q): the highest price at which another label is worth buying.
double coin_label_price(double log_odds, double reliability);

}  // namespace allot::index
