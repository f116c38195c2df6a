"""The league night of ``holotable demo``, played through the public API and audited."""
