import { digestsFor } from '../../src/adapters/archive/digests.ts';
import { tarGzArchive } from '../../src/adapters/archive/tar-gz.ts';
import { digestsContract, evidenceArchiveContract } from './evidence-archive-contract.ts';

evidenceArchiveContract({ name: '.tar.gz', make: limits => tarGzArchive(limits) });
digestsContract('node:crypto', key => digestsFor(key));
