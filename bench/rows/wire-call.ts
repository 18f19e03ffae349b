import { compareAsync, type AsyncWork } from '../measure-async';
import type { Measured, Row } from '../row';
import { LANES, type Caller } from '../wire/caller';
import { echoCaller } from '../wire/echo-caller';
import { mcpHttpCaller, mcpStdioCaller } from '../wire/mcp-caller';
import { ownCaller } from '../wire/own-caller';

/**
 * The bridge allows a client 5,000 frames at once and 200 per second: a row's calls stay within
 * that. Most of them are warm-up, as much of the code at both ends is not compiled before.
 */
const ONE_BY_ONE = { rounds: 21, times: 60, warmUp: 3_500 };
const PIPELINE = { rounds: 15, times: 1, warmUp: 22 };
/** Sequential calls of a lane in one iteration. */
const CALLS_PER_LANE = 2;

/** Measured in wall time, not processor time: a call ends when its answer has arrived. */
const NOTE =
  'decoding, schema, numbers and encoding alone take 2.2 to 2.6 times an echo; the rest is rules, running each call once, and two entries of the audit, spread over both ends (docs/adr/0025). Where the machine is busy, two processes that wait for each other wait for the processor as well';

/** A whole tool call through the bridge and the plugin's end, with a tool that does next to nothing. */
export function wireCallRows(): Row[] {
  return [
    {
      name: 'wire.call',
      against: 'a bare ws echo of the same bytes',
      target: 5,
      note: NOTE,
      measure: () => compareCallers(ownCaller(), echoCaller(), oneByOne, ONE_BY_ONE),
    },
    {
      name: 'wire.call.mcp.http',
      against: 'an MCP SDK tool call over streamable HTTP',
      target: 0.2,
      note: NOTE,
      peers: true,
      measure: () => compareCallers(ownCaller(), mcpHttpCaller(), oneByOne, ONE_BY_ONE),
    },
    {
      name: 'wire.call.mcp.stdio',
      against: 'an MCP SDK tool call over stdio',
      target: 1.5,
      note: NOTE,
      peers: true,
      measure: () => compareCallers(ownCaller(), mcpStdioCaller(), oneByOne, ONE_BY_ONE),
    },
    {
      name: 'wire.pipeline',
      against: 'the echo, 64 in flight',
      target: 5,
      note: NOTE,
      measure: pipeline,
    },
  ];
}

/** Twice the time of the echo is half its calls per second. */
async function pipeline(): Promise<Measured> {
  const measured = await compareCallers(ownCaller(), echoCaller(), allLanes, PIPELINE);
  const detail = `${(1 / measured.ratio).toFixed(2)} of its calls per second`;
  return { ...measured, detail };
}

async function compareCallers(
  starting: Promise<Caller>,
  startingPeer: Promise<Caller>,
  work: (caller: Caller) => AsyncWork,
  rounds: typeof ONE_BY_ONE,
): Promise<Measured> {
  const [own, peer] = await Promise.all([starting, startingPeer]);
  try {
    return await compareAsync(work(own), work(peer), rounds);
  } finally {
    await Promise.all([own.close(), peer.close()]);
  }
}

function oneByOne(caller: Caller): AsyncWork {
  return () => caller.call(0);
}

/** Keeps one call per lane in flight. */
function allLanes(caller: Caller): AsyncWork {
  const inLane = async (lane: number): Promise<void> => {
    for (let n = 0; n < CALLS_PER_LANE; n += 1) await caller.call(lane);
  };
  return () => Promise.all(Array.from({ length: LANES }, (_, lane) => inLane(lane)));
}
