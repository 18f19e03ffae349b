import { cacheLines, type CacheMeter } from '../../core/cache';
import { faultLines, toldSettings } from '../../core/diagnostics';
import type { LoggedFault } from '../../core/error-handler';
import type { Bridges } from '../../core/session/bridges';
import type { SessionEventBus } from '../../core/session/session-event-bus';
import { hostTitle } from '../../core/session/session-host';

interface DiagnosticsInput {
  readonly versions: {
    readonly plugin: string;
    readonly obsidian: string;
    readonly device: string;
  };
  readonly connection: Pick<Bridges, 'all' | 'dropped'>;
  readonly bus: SessionEventBus['counters'];
  readonly caches: readonly CacheMeter[];
  /** each with its default values */
  readonly settings: readonly (readonly [settings: object, defaults: object])[];
  readonly faults: readonly LoggedFault[];
  /** removed wherever they occur: the tokens of bridges */
  readonly secrets: readonly string[];
}

/** Versions, settings, connections, counters and the latest errors, as text for a bug report. */
export function diagnosticsText(parts: DiagnosticsInput): string {
  const { versions, connection, bus, caches, settings, faults, secrets } = parts;
  const text = [
    `Agent Task Boards ${versions.plugin}, Obsidian ${versions.obsidian}, ${versions.device}`,
    'Connections:',
    ...connectionLines(connection).map((line) => `  ${line}`),
    droppedLine(connection),
    `Events delivered: ${bus.delivered}`,
    `Listeners that threw: ${bus.faults}`,
    'Caches:',
    ...cacheLines(caches.map(({ use }) => use)).map((line) => `  ${line}`),
    'Settings:',
    ...settings.flatMap(([now, first]) =>
      Object.entries(toldSettings(now, first)).map(([key, value]) => `  ${key}: ${value}`),
    ),
    ...faultLines(faults),
  ].join('\n');
  return secrets
    .filter((secret) => secret !== '')
    .reduce((clean, secret) => clean.replaceAll(secret, '…'), text);
}

/**
 * The connections and the counts of dropped messages, line by line, for debugging. Contains no
 * secrets.
 */
export function connectionDetails(bridges: Pick<Bridges, 'all' | 'dropped'>): string {
  return [...connectionLines(bridges), droppedLine(bridges)].join('\n');
}

/** The state of each connection, one line each. */
function connectionLines({ all }: Pick<Bridges, 'all'>): readonly string[] {
  return all.map(({ id, state }) =>
    state.kind === 'connected'
      ? `${id}: connected, bridge ${state.bridge}, ${hostTitle(state)} ${state.engine.version}`
      : `${id}: ${state.kind}`,
  );
}

function droppedLine({ dropped }: Pick<Bridges, 'dropped'>): string {
  const counts = Object.entries(dropped).map(([why, count]) => `${why} ${count}`);
  return `Messages dropped: ${counts.join(', ')}`;
}
