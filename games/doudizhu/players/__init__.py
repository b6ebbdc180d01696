"""Players of Doudizhu that are not learned."""
