// The floor: gunzips a file in pieces of 256 KiB and adds up every byte. No reader of profiles can do less.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

const CHUNK = 256 * 1024;
let sum = 0;
const plain = createReadStream(process.argv[2], { highWaterMark: CHUNK }).pipe(createGunzip({ chunkSize: CHUNK }));
plain.on('data', chunk => {
  let part = 0;
  for (let i = 0; i < chunk.length; i++) part += chunk[i];
  sum += part;
});
plain.on('end', () => process.stdout.write(`${sum}\n`));
