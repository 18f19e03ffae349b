import * as z from 'zod';

/** The few requests to OpenCode's HTTP API that a run without the plugin needs. */
export class OpencodeClient {
  constructor(
    private readonly url: string,
    private readonly directory: string,
  ) {}

  /** @returns the id of the new session */
  async createSession(title: string): Promise<string> {
    const reply = await this.post('/session', { title });
    return z.object({ id: z.string() }).parse(reply).id;
  }

  /** Resolves as soon as OpenCode has accepted the prompt, long before its turn ends. */
  async prompt(sessionId: string, text: string): Promise<void> {
    await this.post(`/session/${sessionId}/prompt_async`, { parts: [{ type: 'text', text }] });
  }

  /** All messages of a session with their parts, as OpenCode returns them. */
  async messages(sessionId: string): Promise<unknown> {
    const response = await fetch(this.address(`/session/${sessionId}/message`));
    if (!response.ok) throw new Error(`OpenCode gave no messages (${response.status}).`);
    return response.json();
  }

  async replyPermission(
    requestId: string,
    reply: 'once' | 'always' | 'reject',
    message?: string,
  ): Promise<void> {
    const words = message === undefined ? {} : { message };
    await this.post(`/permission/${requestId}/reply`, { reply, ...words });
  }

  /** @param answers the labels chosen for each question of the request */
  async replyQuestion(requestId: string, answers: readonly (readonly string[])[]): Promise<void> {
    await this.post(`/question/${requestId}/reply`, { answers });
  }

  /** The body of OpenCode's event stream for this folder; ends when `signal` fires. */
  async events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await fetch(this.address('/event'), { signal });
    if (!response.ok || !response.body)
      throw new Error(`OpenCode gave no events (${response.status}).`);
    return response.body;
  }

  private async post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(this.address(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`OpenCode refused POST ${path} (${response.status}): ${text.slice(0, 300)}`);
    }
    return text === '' ? undefined : JSON.parse(text);
  }

  private address(path: string): string {
    return `${this.url}${path}?directory=${encodeURIComponent(this.directory)}`;
  }
}
