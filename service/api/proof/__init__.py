"""Routes of audits, bundles, claims and disputes."""
