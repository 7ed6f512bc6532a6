/** A triage for a ticket or a channel, `-o markdown`. */
import type { Triage, TriageScrape } from './triage.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { code, prose } from '../../report/markdown-escape.ts';
import {
  countsPhrase,
  evidencePhrase,
  historyPhrase,
  limitPhrase,
  memoryPhrase,
  pastPhrase,
  processPhrase,
  stagePhrase,
} from './triage-phrases.ts';

export function renderTriageMarkdown(triage: Triage): string {
  const { verdict, sentence, reasons, analysis } = triage;
  const lines = [`## ${code(triage.target)}: ${verdict}`, '', prose(sentence), ''];
  lines.push(...bullets(reasons.map(prose)), ...bullets(factsOf(triage)));
  const section = (title: string, texts: readonly string[]): void => {
    if (texts.length > 0) lines.push(`### ${title}`, '', ...bullets(texts));
  };
  section('Safe now', triage.safe.map(prose));
  section('Not safe', triage.unsafe.map(prose));
  section(
    'Not proved',
    triage.cannotProve.map(({ what, because }) => prose(`${what}: ${because}`)),
  );
  section(
    'Next',
    triage.next.map(({ command, why }) => `${code(command)}: ${prose(why)}`),
  );
  if (analysis !== null) lines.push('### Analysis', '', renderMarkdown(analysis).trimEnd(), '');
  return `${lines.join('\n').trimEnd()}\n`;
}

function bullets(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [...texts.map(text => `- ${text}`), ''];
}

function factsOf({ scrape, history, past, timeToLimit, evidence }: Triage): string[] {
  const facts = scrape === null ? [] : scrapeFacts(scrape);
  if (history !== null) facts.push(`**history**: ${prose(historyPhrase(history))}`);
  if (past !== null) facts.push(`**past**: ${prose(pastPhrase(past))}`);
  if (timeToLimit !== null) facts.push(`**limit**: ${prose(limitPhrase(timeToLimit))}`);
  if (evidence !== null) facts.push(`**saved**: ${prose(evidencePhrase(evidence))}`);
  return facts;
}

function scrapeFacts(scrape: TriageScrape): string[] {
  if (scrape.problem !== null) return [`**metrics**: ${prose(scrape.problem)}`];
  const facts: readonly (readonly [string, string])[] = [
    ['process', processPhrase(scrape)],
    ['counts', countsPhrase(scrape)],
    ['memory', memoryPhrase(scrape)],
    ['stage', stagePhrase(scrape)],
  ];
  return facts.flatMap(([name, text]) => (text === '' ? [] : [`**${name}**: ${prose(text)}`]));
}
