import { digestsFor } from '../../src/evidence/io/digests.ts';
import { tarGzArchive } from '../../src/evidence/io/tar-gz.ts';
import { digestsContract, evidenceArchiveContract } from './evidence-archive-contract.ts';

evidenceArchiveContract({ name: '.tar.gz', make: limits => tarGzArchive(limits) });
digestsContract('node:crypto', key => digestsFor(key));
