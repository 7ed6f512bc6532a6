// The licences of the packages in the bundles, which must accompany their code. Packages that are installed beside
// oakum bring their own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, ROOT } from './setup.mjs';

const INTRODUCTION = 'Oakum contains the following packages. Their licences and notices follow.\n';

/** The text of the NOTICE file for what esbuild's metafiles list. */
export function noticeFor(metafiles) {
  const folders = metafiles.flatMap(({ inputs }) => Object.keys(inputs)).map(packageFolder);
  const parts = [...new Set(folders.filter(folder => folder !== undefined))].sort().map(noticeOf);
  return [INTRODUCTION, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** node_modules/a/node_modules/@b/c/index.js -> node_modules/a/node_modules/@b/c */
function packageFolder(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

function noticeOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const texts = listFiles(folder, path => /^(licen[cs]e|copying|notice)/i.test(path.slice(folder.length + 1)))
    .filter(path => !path.slice(folder.length + 1).includes('/'))
    .map(path => readFileSync(join(ROOT, path), 'utf8').trim());
  if (texts.length === 0) texts.push(licenceByName(name, license, author));
  return `${name} ${version}\n\n${texts.join('\n\n')}\n`;
}

/** For a package that has no licence file but names its licence. */
function licenceByName(name, license, author) {
  if (typeof license !== 'string' || license === 'UNLICENSED') throw new Error(`${name} is bundled and has no licence`);
  const by = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`;
  return license === 'MIT' ? `The MIT License\n\nCopyright (c) ${by}\n\n${MIT}` : `Licence: ${license}\nAuthor: ${by}`;
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
