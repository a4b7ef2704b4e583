"""Liar's dice of sizes whose tree cannot be built: policies that look at the hand and the last bid.

What PIMC plays, what it gets against its like, and what a best response gets from it, exactly.
"""

from infoset.search.closed_form.bid_table import BidTable
from infoset.search.closed_form.biddings import bidding_reach
from infoset.search.closed_form.measuring import BidResponse, bid_response, match_value
from infoset.search.closed_form.pimc import pimc_table

__all__ = ["BidResponse", "BidTable", "bid_response", "bidding_reach", "match_value", "pimc_table"]
