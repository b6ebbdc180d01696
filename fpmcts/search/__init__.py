"""FPMCTS: the search, its trees and the root rules."""
