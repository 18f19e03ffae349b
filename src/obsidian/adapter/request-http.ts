import { requestUrl, type RequestUrlResponsePromise } from 'obsidian';
import type { Http } from '../../core/model/model-client';

/**
 * HTTP by the app's own requests, on every device. They give only whole responses, and follow
 * redirects silently. An abort rejects at once, and the response that still arrives is dropped.
 */
export const requestHttp: Http = {
  streams: false,
  async request({ url, method, headers, body, signal }) {
    signal.throwIfAborted();
    const given = { url, method, headers: { ...headers }, throw: false };
    const asked = requestUrl(body === undefined ? given : { ...given, body });
    const answer = await Promise.race([asked, rejectOnAbort(signal)]);
    const names = Object.entries(answer.headers);
    return {
      status: answer.status,
      headers: Object.fromEntries(names.map(([name, value]) => [name.toLowerCase(), value])),
      body: wholeBody(asked),
    };
  },
};

async function* wholeBody(asked: RequestUrlResponsePromise): AsyncGenerator<Uint8Array> {
  yield new Uint8Array((await asked).arrayBuffer);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', fail, { once: true });
  });
}
