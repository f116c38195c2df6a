"""Moving a league to another cell: one file, packed in one installation, unpacked in another."""
