/** One answer of OpenCode's HTTP interface; `body` is JSON as parsed, or undefined. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** with its ids already in it, encoded */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** OpenCode's HTTP interface for one folder. Rejects where there is no answer. */
export type OpencodeHttp = (request: HttpRequest) => Promise<HttpAnswer>;

/** The part of OpenCode's own client that we use: it answers in the same process, password and all. */
export interface RawClient {
  request(options: {
    method: string;
    url: string;
    query: Record<string, string>;
    headers: Record<string, string>;
    body?: unknown;
  }): Promise<{ data?: unknown; error?: unknown; response?: { status: number } }>;
}

export function opencodeHttp(client: RawClient, directory: string): OpencodeHttp {
  return async ({ method, path, query, body }) => {
    const answer = await client.request({
      method,
      url: path,
      query: { ...query, directory },
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
    if (!answer.response) throw new Error(`OpenCode gave no answer to ${method} ${path}.`);
    return { status: answer.response.status, body: answer.data ?? answer.error };
  };
}
