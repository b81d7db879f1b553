import type { Schema } from './client';

/** Returns the name under which a team is shown. */
export const teamName = ({ name, display_name }: Schema['Team']) => display_name ?? name;
