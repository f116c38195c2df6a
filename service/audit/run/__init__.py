"""Planning an audit, spreading it over processes and putting it together."""
