import { spawn } from 'node:child_process';
import { PROGRAM, type Era } from './mcp-rig';

/** A message of the server, as received. */
export interface ReceivedMessage {
  /** null: the answer to a line without a valid request */
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly message?: string };
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, { params: { message: string } }>>;
}

/** A question of the server to the person, with a way to answer. */
export interface PersonQuestion {
  readonly message: string;
  readonly answer: (action: 'accept' | 'decline' | 'cancel') => void;
}

const VERSIONS = { legacy: '2025-06-18', auto: '2026-07-28' } as const;

const SELF = { name: 'wire', version: '1' };

/** A client that speaks the protocol by hand, so that it can do what no proper client does. */
export class RawMcpClient {
  private readonly unread: ReceivedMessage[] = [];
  private readonly waiters = new Set<() => void>();
  private lastId = 0;
  readonly ended: Promise<number | null>;
  /** all of stdout */
  out = '';

  private constructor(
    private readonly child: ReturnType<typeof RawMcpClient.spawnServer>,
    private readonly era: Era,
  ) {
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.out += chunk;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.unread.push(JSON.parse(line) as ReceivedMessage);
      for (const look of this.waiters) look();
    });
    child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => child.on('close', resolve));
  }

  /** A server for a vault, and an initialized client that can ask its person. */
  static async open(vault: string, era: Era = 'legacy', args: readonly string[] = []) {
    const wire = new RawMcpClient(RawMcpClient.spawnServer(vault, args), era);
    if (era === 'legacy') {
      const protocolVersion = VERSIONS.legacy;
      const capabilities = { elicitation: {} };
      wire.send({
        ...{ id: 'hello', method: 'initialize' },
        params: { protocolVersion, capabilities, clientInfo: SELF },
      });
      await wire.next(({ id }) => id === 'hello');
      wire.send({ method: 'notifications/initialized' });
    }
    return wire;
  }

  private static spawnServer(vault: string, args: readonly string[]) {
    return spawn(process.execPath, [PROGRAM, 'mcp', '--vault', vault, ...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Sends several messages in one write. */
  send(...messages: readonly object[]): void {
    this.write(messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  /** A call to be sent later. */
  request(name: string, args: object, more: object = {}) {
    this.lastId += 1;
    const _meta = this.era === 'auto' ? { _meta: ENVELOPE } : {};
    return {
      id: this.lastId,
      method: 'tools/call',
      params: { name, arguments: args, ...more, ..._meta },
    };
  }

  /** Sends a call. @returns its id */
  call(name: string, args: object, more: object = {}): number {
    const request = this.request(name, args, more);
    this.send(request);
    return request.id;
  }

  tasks(...operations: readonly object[]): number {
    return this.call('tasks', { operations });
  }

  /** The first message that fits and was not returned before. */
  next(fits: (message: ReceivedMessage) => boolean): Promise<ReceivedMessage> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const at = this.unread.findIndex(fits);
        const [found] = at < 0 ? [] : this.unread.splice(at, 1);
        if (found === undefined) return;
        this.waiters.delete(look);
        resolve(found);
      };
      this.waiters.add(look);
      void this.ended.then(() => reject(new Error(`The server ended. It had said: ${this.out}`)));
      look();
    });
  }

  /** The answer to a call. */
  async answer(id: number): Promise<{ readonly ok: boolean; readonly text: string }> {
    const { result, error } = await this.next((message) => message.id === id && isAnswer(message));
    const text = error?.message ?? result?.content?.[0]?.text ?? '';
    return { ok: error === undefined && result?.isError !== true, text };
  }

  /** The next question of a call. @param args of the call, sent again with the answer */
  async nextQuestion(id: number, name: string, args: object): Promise<PersonQuestion> {
    if (this.era === 'legacy') {
      const { id: question, params } = await this.next(({ method }) => method === QUESTION);
      const answer: PersonQuestion['answer'] = (action) =>
        this.send({ id: question, result: { action, content: {} } });
      return { message: params?.message ?? '', answer };
    }
    const { result } = await this.next((message) => message.id === id);
    const { requestState, inputRequests = {} } = result ?? {};
    const answer: PersonQuestion['answer'] = (action) =>
      this.send({
        ...this.request(name, args, {
          requestState,
          inputResponses: { allow: { action, content: {} } },
        }),
        id,
      });
    return { message: inputRequests['allow']?.params.message ?? '', answer };
  }

  /** Stops reading. */
  stopReading(): void {
    this.child.stdout.destroy();
  }

  cancel(requestId: number): void {
    this.send({ method: 'notifications/cancelled', params: { requestId } });
  }

  /** Ends the input. @returns exit code */
  end(): Promise<number | null> {
    this.child.stdin.end();
    return this.ended;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

const QUESTION = 'elicitation/create';

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': VERSIONS.auto,
  'io.modelcontextprotocol/clientInfo': SELF,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

function isAnswer({ method }: ReceivedMessage): boolean {
  return method === undefined;
}
