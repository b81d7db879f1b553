/** Returns the login for a team as the server proposes it: the team's id, or one made of it that no account has. */
export function freeLogin(contest: string, team: string, taken: ReadonlySet<string>): string {
  const names = [team, `team-${team}`, `${contest}-${team}`];
  return names.find((name) => !taken.has(name)) ?? '';
}
