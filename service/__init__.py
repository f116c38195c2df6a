"""The shell around the engine: everything that touches the world.  It holds no rule."""
