// --import scripts/test/typescript.mjs: lets Node load the TypeScript of this repository.
// Unlike tsx, it does not wrap every function to keep its name, which costs hot code some per cent.
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register('./load-typescript.mjs', import.meta.url);
