"""How an audit is planned, spread over processes and put together."""
