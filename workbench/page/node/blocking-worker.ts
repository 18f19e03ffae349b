/** The worker that makes the page's blocking calls while the page's main thread waits. */
import { callServer, connect } from '../server-socket';
import { SharedAnswer, type BlockingCall } from './shared-answer';

let answer: SharedAnswer | undefined;

self.onmessage = ({ data }: MessageEvent<SharedArrayBuffer | BlockingCall>) => {
  if (data instanceof SharedArrayBuffer) {
    answer = new SharedAnswer(data);
    void connect().then(() => self.postMessage('ready'));
    return;
  }
  const { address, body } = data;
  void callServer(address, body.buffer).then(({ ok, body: bytes }) => answer?.put(ok, bytes));
};
