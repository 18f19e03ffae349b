import { engineIn, engineOfSession, featuresIn, type Feature } from '../../protocol/handshake';
import type { EngineInfo } from '../../protocol/fields';

/** The engine that runs a session, and the features it supports. */
export interface SessionHost {
  readonly engine: EngineInfo;
  readonly features: ReadonlySet<Feature>;
}

/** The host that a welcome describes. */
export function hostOf(welcome: Parameters<typeof featuresIn>[0]): SessionHost {
  return { engine: engineIn(welcome), features: featuresIn(welcome) };
}

/** The host's name for the person. An agent that only calls our tools is shown by its own name. */
export function hostTitle({ engine }: Pick<SessionHost, 'engine'>, agent?: string | null): string {
  const { name, title } = engine;
  if (name === 'opencode') return title ?? 'OpenCode';
  if (name !== 'mcp') return title ?? name;
  if (!agent) return 'MCP';
  return agent.replace(/[-_\s]+/g, ' ').replace(/(?<!\S)\p{Ll}/gu, (first) => first.toUpperCase());
}

/**
 * The program to name next to a session's title; undefined if unknown, or if the title contains it.
 * A program that can start sessions is named only if several are connected.
 * @param agent of the session, else of its board: the only source for a client that has left
 * @param mixed whether several programs are connected
 */
export function clientTitle(
  id: string,
  { agent, host }: Hosted,
  title: string,
  mixed: boolean,
): string | undefined {
  const engine =
    host?.engine ?? (engineOfSession(id) !== null && agent ? DISCONNECTED_MCP : undefined);
  if (engine === undefined || (!mixed && host?.features.has('start') === true)) return undefined;
  const client = hostTitle({ engine }, agent);
  return spaced(title).includes(spaced(client)) ? undefined : client;
}

/** Engine of an MCP client whose server is gone. */
const DISCONNECTED_MCP: EngineInfo = { name: 'mcp', version: '' };

function spaced(text: string): string {
  return text.replace(/[-_\s]+/g, ' ').toLowerCase();
}

interface Hosted {
  readonly agent?: string | null;
  /** undefined if it is currently unknown */
  readonly host?: SessionHost | undefined;
}

/** Whether a session supports a feature; true if its host is unknown. */
export function canDo({ host }: Hosted, feature: Feature): boolean {
  return host === undefined || host.features.has(feature);
}

/** Why a session does not support a feature, in a sentence for the person; undefined if it does. */
export function unsupportedReason(
  session: Hosted,
  feature: keyof typeof UNSUPPORTED_REASONS,
): string | undefined {
  if (session.host === undefined || canDo(session, feature)) return undefined;
  return `${hostTitle(session.host, session.agent)} ${UNSUPPORTED_REASONS[feature]}.`;
}

const UNSUPPORTED_REASONS = {
  keys: 'does not know keys',
  tasks: 'starts no sessions for tasks from here; restart OpenCode if the plugin is newer',
  notes: 'sends no notes along; restart OpenCode if the plugin is newer',
  start: 'starts no sessions from here; OpenCode does, where it runs in this vault',
  prompt: 'takes no messages from here',
  interrupt: 'can’t be stopped from here',
  compact: 'can’t be compacted from here',
  rename: 'takes no titles from here',
  remove: 'deletes no sessions from here',
  permissions: 'takes no answers to permission requests from here',
  questions: 'takes no answers to questions from here',
  catalog: 'does not say which agents and models it has',
} as const satisfies Record<Feature, string>;
