import type { RawClient } from '../../src/bridge/opencode/opencode-api';

type Request = Parameters<RawClient['request']>[0];

/** A request to OpenCode that changes something: any but a GET. */
export interface Effect {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Matches paths of valid ids; any other path means that a check is missing. */
const PATH = /^(\/[A-Za-z0-9_.-]{1,256}){1,5}$/;

/**
 * The part of OpenCode's API that the bridge uses, over sessions without content. Records the
 * requests with an effect, so that a test can compare them with what it expects.
 */
export class FakeOpencode implements RawClient {
  /** oldest first; emptied by `takeEffects` */
  #effects: Effect[] = [];
  /** number of requests, without those to the log */
  requestCount = 0;
  /** paths that cannot have been built from valid ids */
  readonly invalidRequests: string[] = [];
  /** called after each effect */
  onEffect: () => void = () => undefined;
  readonly #sessions = new Map<string, string>();

  constructor(private readonly directory: string) {}

  addSession(id: string, title: string): void {
    this.#sessions.set(id, title);
  }

  removeSession(id: string): void {
    this.#sessions.delete(id);
  }

  takeEffects(): readonly Effect[] {
    return this.#effects.splice(0);
  }

  async request(request: Request): Promise<{ data?: unknown; response: { status: number } }> {
    await Promise.resolve();
    const { method, url: path, body } = request;
    if (path === '/log') return answer(true);
    this.requestCount += 1;
    if (!PATH.test(path)) this.invalidRequests.push(`${method} ${path}`);
    if (method !== 'GET') {
      this.#effects.push({ method, path, body });
      this.onEffect();
      return this.#answerChange(path);
    }
    return this.#answerGet(path);
  }

  #answerChange(path: string) {
    const id = /^\/session\/([^/]+)/.exec(path)?.[1];
    if (path === '/session') {
      const made = `ses_made_${this.requestCount}`;
      this.addSession(made, 'Made');
      return answer(this.#info(made));
    }
    return id === undefined || this.#sessions.has(id) ? answer(true) : answer({}, 404);
  }

  #answerGet(path: string) {
    if (path === '/session') return answer([...this.#sessions.keys()].map((id) => this.#info(id)));
    if (path === '/session/status') return answer({});
    if (path === '/global/health') return answer({ healthy: true, version: '1.18.33' });
    if (path === '/agent') return answer([{ name: 'build', mode: 'primary' }]);
    if (path === '/config/providers') {
      return answer({ providers: [{ id: 'p', models: { m: { id: 'm', name: 'M' } } }] });
    }
    if (path === '/agent') return answer([{ name: 'build', mode: 'primary' }]);
    if (path === '/config/providers') return answer({ providers: [], default: {} });
    if (path === '/config') return answer({});
    if (path === '/permission' || path === '/question') return answer([]);
    const [, id, rest] = /^\/session\/([^/]+)(?:\/(message|todo|children))?$/.exec(path) ?? [];
    if (id === undefined || !this.#sessions.has(id)) return answer({}, 404);
    return answer(rest === undefined ? this.#info(id) : []);
  }

  #info(id: string) {
    const title = this.#sessions.get(id) ?? '';
    return { id, title, directory: this.directory, time: { created: 1, updated: 1 } };
  }
}

function answer(data: unknown, status = 200) {
  return { data, response: { status } };
}
