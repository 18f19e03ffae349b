/** A bare `ws` client that sends back what it receives: `echo-child.mjs PORT`. */
import WebSocket from 'ws';

const client = new WebSocket(`ws://127.0.0.1:${process.argv[2]}`, { perMessageDeflate: false });
client.on('message', (data: Buffer, binary) => client.send(data, { binary }));
client.on('open', () => process.send?.('attached'));
process.once('disconnect', () => client.terminate());
