import { startBridge, type LocalBridge } from './link/local-bridge';
import { fuzzedFrame } from './link/fuzzed-frame';
import { HandshakeFuzz } from './link/fuzzed-handshake';
import { INVALID_SESSION, VALID_SESSION } from './link/good-frames';
import { helloFrame } from './link/handshake-matrix';
import { withTimeout } from './link/with-timeout';
import { RawClient } from './link/raw-client';
import { latencyRatio } from './link/slow-handshakes';
import { tryUpgrade } from './link/raw-upgrade';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

const FULL_FRAMES = 1_000_000;
const FULL_HANDSHAKES = 100_000;
/** Concurrent handshakes; fewer than the number of refused clients that may wait for their close. */
const LANES = 8;
/** Most frames of one connection; a client may send 5,000 at once. A small run has ten batches. */
const BATCH = 1_000;

interface Tally {
  readonly count: (what: string, by?: number) => void;
  readonly lose: (what: string) => void;
}

/** R8: fuzzed handshakes and frames against the whole bridge: none is accepted, none ends the process. */
export const runFuzz: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const injected: Record<string, number> = {};
  const lost: string[] = [];
  const tally: Tally = {
    count: (what, by = 1) => void (injected[what] = (injected[what] ?? 0) + by),
    lose: (what) => void lost.push(what),
  };
  const before = await startBridge([]);
  await before.close();
  const bridge = await startBridge([INVALID_SESSION, VALID_SESSION]);
  let ratio = 0;
  try {
    const wanted = Math.max(1, Math.ceil(FULL_HANDSHAKES * share));
    await fuzzHandshakes(bridge, before.run.token, { wanted, seed, progress, ...tally });
    await fuzzFrames(bridge, Math.max(1, Math.ceil(FULL_FRAMES * share)), {
      seed,
      progress,
      ...tally,
    });
    ratio = await latencyRatio(bridge.run);
  } finally {
    await bridge.close();
  }
  if ('polluted' in {}) lost.push('Object.prototype was changed.');
  // A measurement without a goal: it depends on the machine's other load.
  const what = `fuzzed handshakes and frames (under slow handshakes an answer takes ${ratio.toFixed(2)} times as long)`;
  return { name: 'R8', what, injected, lost };
};

async function fuzzHandshakes(
  bridge: LocalBridge,
  oldToken: string,
  {
    wanted,
    seed,
    progress,
    count,
    lose,
  }: Tally & Pick<RunOptions, 'seed' | 'progress'> & { wanted: number },
): Promise<void> {
  const { port, token } = bridge.run;
  const fuzz = new HandshakeFuzz({ port, token, oldToken });
  const asked = bridge.opencode.requestCount;
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < wanted) {
      const number = (next += 1);
      const { kind, bytes } = fuzz.next(new SeededRandom(seed + number));
      const end = await tryUpgrade(port, bytes, [helloFrame()]);
      count('handshakes');
      count(`handshakes, ${kind}`);
      if (end.answered) lose(`A handshake got in: ${kind} (--seed ${seed}, handshake ${number}).`);
      if (number % 10_000 === 0) progress(`R8 ${number} of ${wanted} handshakes`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (bridge.opencode.requestCount !== asked)
    lose('OpenCode was asked something during the handshakes.');
}

async function fuzzFrames(
  bridge: LocalBridge,
  wanted: number,
  { seed, progress, count, lose }: Tally & Pick<RunOptions, 'seed' | 'progress'>,
): Promise<void> {
  const { port, token } = bridge.run;
  const controlClient = await RawClient.open(port, token);
  await controlClient.sayHello();
  const most = Math.min(BATCH, Math.ceil(wanted / 10));
  for (let done = 0, batch = 0; done < wanted; done += most, batch += 1) {
    const random = new SeededRandom(seed + batch);
    const where = `--seed ${seed}, batch ${batch}`;
    const size = Math.min(most, wanted - done);
    if (batch % 5 === 4)
      await sendBeforeHello(bridge, random, { count, lose: (what) => lose(`${what} (${where})`) });
    await oneBatch(
      bridge,
      { random, size, from: done },
      { count, lose: (what) => lose(`${what} (${where})`) },
    );
    checkEffects(bridge, (what) => lose(`${what} (${where})`));
    if (batch % 20 === 0 && !(await controlClient.isServed(`w${batch}`)))
      lose(`The witness was cut off (${where}).`);
    if (batch % 50 === 49) progress(`R8 ${done + size} of ${wanted} frames`);
  }
  controlClient.reset();
}

/** One connection: sends the frames, checks that it is still served, then ends it with a breach. */
async function oneBatch(
  { run }: LocalBridge,
  { random, size, from }: { random: SeededRandom; size: number; from: number },
  { count, lose }: Tally,
): Promise<void> {
  const client = await RawClient.open(run.port, run.token);
  await client.sayHello();
  // Each wrong frame must get an answer; some damaged frames are still valid.
  const sort = random.next() < 0.5 ? 'wrong' : 'damaged';
  for (let number = from; number < from + size; number += 1) {
    const frame = fuzzedFrame(random, number, sort);
    count('frames');
    count(`frames, ${frame.kind}`);
    client.send(frame.bytes);
    await client.drained();
  }
  if (!(await withTimeout(client.isServed('last')))) lose(`The connection ended (${client.code}).`);
  const errors = (): number => client.receivedCounts.get('error') ?? 0;
  if (sort === 'wrong') {
    await withTimeout(client.waitUntil(() => errors() >= size));
    if (errors() !== size) lose(`${size} wrong frames had ${errors()} answers.`);
  }
  const breach = fuzzedFrame(random, from, 'breach');
  count(`breaches, ${breach.kind}`);
  client.send(breach.bytes);
  await withTimeout(client.waitUntil(() => client.code !== undefined));
  if (!client.ended && client.code === undefined) lose(`It stayed open after: ${breach.kind}.`);
  client.reset();
}

/** A first frame that is no hello gets at most an error before the connection ends. */
async function sendBeforeHello(
  { run }: LocalBridge,
  random: SeededRandom,
  { count, lose }: Tally,
): Promise<void> {
  const client = await RawClient.open(run.port, run.token);
  const frame = fuzzedFrame(random, 0, 'wrong');
  count('frames before a hello');
  client.send(frame.bytes);
  await withTimeout(client.waitUntil(() => client.code !== undefined));
  if (client.code === undefined && !client.ended)
    lose(`It stayed open without a hello: ${frame.kind}.`);
  if (client.receivedCounts.has('welcome')) lose(`It was welcomed without a hello: ${frame.kind}.`);
  client.reset();
}

function checkEffects({ opencode }: LocalBridge, lose: (what: string) => void): void {
  for (const effect of opencode.takeEffects()) {
    const told = `${effect.method} ${effect.path} ${JSON.stringify(effect.body ?? '')}`;
    if (told.includes(INVALID_SESSION) || told.includes('NEVER'))
      lose(`A wrong frame had an effect: ${told.slice(0, 200)}`);
  }
  for (const path of opencode.invalidRequests.splice(0))
    lose(`OpenCode was asked ${path.slice(0, 200)}`);
}
