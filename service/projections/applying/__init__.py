"""From events to rows: what a projection is, and how a batch of events moves it on."""
