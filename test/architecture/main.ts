/**
 * npm run architecture             offences, and where the records differ from the sources
 * npm run architecture -- write    updates the records
 * npm run architecture -- folders  the folders and their sizes, as a table for the docs
 */
import { folderTable } from './folder-table.ts';
import { judge } from './judge.ts';
import { readTree } from './read/tree.ts';
import { readRecords, writeRecords } from './records.ts';
import { refreshRecords } from './refresh-records.ts';
import { offenceText } from './rules/offence.ts';

const COMMANDS: Readonly<Record<string, () => void>> = {
  check: () => {
    const { offences, differences } = judge(readTree(), readRecords());
    print([...offences.map(offenceText), ...differences]);
  },
  write: () => {
    const { records, refused } = refreshRecords(readTree(), readRecords());
    writeRecords(records);
    print(refused.map(text => `not recorded, fix it: ${text}`));
  },
  folders: () => void process.stdout.write(folderTable(readTree())),
};

function print(problems: readonly string[]): void {
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}

const [command = 'check'] = process.argv.slice(2);
const run = COMMANDS[command];
if (run === undefined) {
  process.stderr.write(`architecture: no command "${command}"; the commands are ${Object.keys(COMMANDS).join(', ')}\n`);
  process.exitCode = 2;
} else {
  run();
}
