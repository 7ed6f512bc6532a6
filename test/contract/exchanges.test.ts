/** Every exchange fulfils the contract: in memory, and PostgreSQL. */
import { after } from 'node:test';
import { memoryStore, StoreMemory } from '../../src/watch/io/memory-store.ts';
import { openPostgresStore } from '../../src/store/io/postgres/watch-store.ts';
import { openReplicaTables } from '../../src/watch/io/postgres-membership.ts';
import { postgresExchange } from '../../src/watch/io/postgres-exchange.ts';
import { MemoryEvidence } from '../double/memory-evidence.ts';
import { MemoryBoard } from '../double/memory-exchange.ts';
import { type Postgres, postgresAbsent, sharedPostgres } from '../postgres/postgres-server.ts';
import { isInTheTable } from './counted-tests.ts';
import { exchangeContract } from './exchange-contract.ts';

exchangeContract({
  name: 'in memory',
  make: async () => {
    const memory = new StoreMemory();
    let [joined, now] = [0, 0];
    const board = new MemoryBoard(() => now, memory);
    return {
      join: () => board.exchange(String(joined++)),
      pass: async seconds => void (now += seconds),
      loseNews: async () => board.loseAll(),
      store: memoryStore(memory),
    };
  },
});

let server: Postgres | undefined;
after(() => server?.remove());

exchangeContract({
  name: 'PostgreSQL',
  skip: postgresAbsent || undefined,
  make: async t => {
    server ??= await sharedPostgres();
    const url = server.newStore();
    const db = await openReplicaTables(url);
    const store = await openPostgresStore(url, new MemoryEvidence());
    t.after(async () => {
      await store.close();
      await db.close();
    });
    let joined = 0;
    return {
      join: () => postgresExchange(db, { session: String(joined++), authority: 'test' }),
      pass: async seconds =>
        void (await db.all("UPDATE replica_news SET written_at = written_at - $1 * interval '1 second'", [seconds])),
      loseNews: async () => void (await db.all('TRUNCATE replica_news')),
      store,
    };
  },
});

isInTheTable();
