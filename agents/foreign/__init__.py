"""Players of other packages, in the games of this one."""
