/**
 * npm run architecture             offences, and where the records differ from the sources
 * npm run architecture -- write    updates the table of rooms and the records
 */
import { arrowsOf } from './graph.ts';
import { judge, offencesIn } from './judge.ts';
import { readKnown, refreshed, writeKnown } from './known.ts';
import { offenceText } from './offence.ts';
import { readTree } from './read/tree.ts';
import { readRooms, roomsOf, writeRooms } from './rules/rooms.ts';

function check(): string[] {
  const { offences, differences } = judge(readTree(), readRooms(), readKnown());
  return [...offences.map(offenceText), ...differences];
}

function write(): string[] {
  const tree = readTree();
  writeRooms(roomsOf(readRooms(), arrowsOf(tree)));
  const { known, refused } = refreshed(offencesIn(tree, readRooms()), readKnown());
  writeKnown(known);
  return refused.map(text => `not recorded, fix it: ${text}`);
}

const COMMANDS: Readonly<Record<string, () => string[]>> = { check, write };
const [command = 'check'] = process.argv.slice(2);
const run = COMMANDS[command];
if (run === undefined) {
  process.stderr.write(`architecture: no command "${command}"; the commands are ${Object.keys(COMMANDS).join(', ')}\n`);
  process.exitCode = 2;
} else {
  const problems = run();
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
