/**
 * Serves a contest with 200 teams and 15 problems, whose submissions a simulated judgehost judges, until Ctrl-C.
 *
 * `npm run seed -- --teams 200 --problems 15 --submissions 2000 --frozen --port 4173 --live`
 */
import { parseArgs } from 'node:util';
import { seed } from './contest';
import { startServer } from './server';

const { values } = parseArgs({
  options: {
    teams: { type: 'string', default: '200' },
    problems: { type: 'string', default: '15' },
    submissions: { type: 'string', default: '2000' },
    frozen: { type: 'boolean', default: false },
    over: { type: 'boolean', default: false },
    score: { type: 'boolean', default: false },
    port: { type: 'string', default: '4173' },
    live: { type: 'boolean', default: false },
  },
});

const server = await startServer({ port: Number(values.port) });
const contest = await seed(server, {
  teams: Number(values.teams),
  problems: Number(values.problems),
  submissions: Number(values.submissions),
  isFrozen: values.frozen,
  isOver: values.over,
  isScore: values.score,
});
process.stdout.write(
  `${server.url}/contests/seed/board\nadmin: ${server.adminPassword}; team1 to team${values.teams}: their names and -pw\n`,
);
let isOn = true;
process.on('SIGINT', () => {
  isOn = false;
});
while (isOn) {
  if (values.live) await contest.submit(1);
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
await server.stop();
