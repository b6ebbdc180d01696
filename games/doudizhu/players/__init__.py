"""Players of Doudizhu without learning."""
