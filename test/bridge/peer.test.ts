import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Peer } from '../../src/bridge/server/peer';
import { ManualClock } from './manual-clock';

class FakeSocket extends EventEmitter {
  readonly log: string[] = [];
  broken = false;

  send(text: string): void {
    if (this.broken) throw new Error('gone');
    this.log.push(`send ${text}`);
  }

  ping(): void {
    if (this.broken) throw new Error('gone');
    this.log.push('ping');
  }

  close(code: number): void {
    this.log.push(`close ${code}`);
  }

  terminate(): void {
    this.log.push('terminate');
  }
}

/** @param ago age of the connection at its upgrade, ms */
function setup(ago = 0) {
  const clock = new ManualClock();
  const socket = new FakeSocket();
  let closed = 0;
  const peer = new Peer(
    socket,
    clock,
    {
      frame: () => undefined,
      received: () => undefined,
      held: () => 0,
      closed: () => void closed++,
    },
    clock.now() - ago,
  );
  return { clock, socket, peer, closed: () => closed };
}

describe('the life of a socket', () => {
  test('[BRIDGE93] the 3 seconds until the hello begin with the connection, not with the upgrade', () => {
    const { clock, socket } = setup(2_000);
    clock.advance(999);
    expect(socket.log).toEqual([]);
    clock.advance(1);
    expect(socket.log).toEqual(['close 4400']);
  });

  test('[BRIDGE16] who is silent for 25 seconds is closed, and cut a second later', () => {
    const { clock, socket, peer, closed } = setup();
    peer.startPings();
    clock.advance(24_999);
    expect(socket.log).toEqual(['ping', 'ping', 'ping']);
    clock.advance(1);
    expect(socket.log.at(-1)).toBe('close 4408');
    expect(closed()).toBe(1);
    clock.advance(1000);
    expect(socket.log.at(-1)).toBe('terminate');
    socket.emit('close');
    expect(closed()).toBe(1);
  });

  test('[BRIDGE16] any frame and any echo is a sign of life', () => {
    const { clock, socket, peer } = setup();
    peer.startPings();
    for (let i = 0; i < 6; i++) {
      clock.advance(20_000);
      if (i % 2 === 0) socket.emit('message', Buffer.from('{}'), false);
      else socket.emit('pong', Buffer.from(''));
    }
    expect(socket.log.filter((line) => line !== 'ping')).toEqual([]);
  });

  test('[BRIDGE6] a socket that throws is gone, and nobody else hears of it', () => {
    const { clock, socket, peer, closed } = setup();
    peer.startPings();
    socket.broken = true;
    peer.send('x');
    clock.advance(60_000);
    peer.close(1000, '');
    expect(socket.log).toEqual(['ping', 'terminate']);
    expect(closed()).toBe(1);
  });

  test('[BRIDGE16] after the end nothing is sent and nothing is read', () => {
    const { socket, peer } = setup();
    peer.close(4400, 'x');
    peer.send('late');
    socket.emit('message', Buffer.alloc(2 * 1024 * 1024), false);
    expect(socket.log).toEqual(['close 4400']);
  });
});
