import { describe, expect, test } from 'vitest';
import { NO_CHANGES, withChanged, withSeen } from '../../src/obsidian/model/overview';
import { boardChange } from '../../src/core/board/board-change';
import { Announcer, boardAnnouncement, MIN_POLITE_INTERVAL } from '../../src/obsidian/ui/announcer';
import { boardOf } from '../board/note-sample';
import { ManualClock } from '../wire/manual-clock';

function setUp() {
  const clock = new ManualClock();
  const polite: string[] = [];
  const assertive: string[] = [];
  const say = {
    polite: (text: string) => void polite.push(text),
    assertive: (text: string) => void assertive.push(text),
  };
  return { clock, polite, assertive, announcer: new Announcer(clock, say) };
}

describe('Announcer', () => {
  test('[PLUGIN14] speaks politely at most once in two seconds, and merges what came meanwhile', async () => {
    const { clock, polite, announcer } = setUp();
    announcer.announce({ who: 'build', sentence: 'One, done by build. 1 of 3.', tasks: 1 });
    announcer.announce({ who: 'build', sentence: 'Two, done by build. 2 of 3.', tasks: 1 });
    announcer.announce({ who: 'build', sentence: 'Three, done by build. 3 of 3.', tasks: 2 });
    announcer.announce({ who: 'plan', sentence: 'Four, started by plan. 0 of 1.', tasks: 1 });
    expect(polite).toEqual(['One, done by build. 1 of 3.']);
    await clock.advance(MIN_POLITE_INTERVAL - 1);
    expect(polite).toHaveLength(1);
    await clock.advance(1);
    expect(polite[1]).toBe('build changed 3 tasks. plan changed 1 task.');
    await clock.advance(MIN_POLITE_INTERVAL);
    announcer.announce({ who: 'build', sentence: 'Five, added by build. 3 of 4.', tasks: 1 });
    expect(polite).toHaveLength(3);
  });

  test('[PLUGIN14] a question is said at once', () => {
    const { assertive, announcer } = setUp();
    announcer.announce({ who: 'build', sentence: 'x', tasks: 1 });
    announcer.announceNow('build asks: Allow this command?');
    expect(assertive).toEqual(['build asks: Allow this command?']);
  });
});

test('[PLUGIN14] a new plan is its agent’s, whichever program wrote it', () => {
  const board = boardOf('- [ ] One');
  const news = boardAnnouncement(
    boardChange({ path: board.path, before: undefined, after: board, by: 'disk' }),
  );
  expect(news?.sentence).toBe(`New plan by ${board.agent}: ${board.title}.`);
});

describe('changes', () => {
  test('[SIDE1] a change counts per task until it is seen, for one task, a board or all', () => {
    const twice = withChanged(withChanged(NO_CHANGES, 'p', ['a', 'b']), 'p', ['a']);
    expect(twice.get('p')?.get('a')).toBe(2);
    expect(withSeen(twice, 'p', 'a').get('p')?.has('a')).toBe(false);
    expect(withSeen(twice, 'p', 'a').get('p')?.get('b')).toBe(1);
    expect(withSeen(twice, 'p').size).toBe(0);
    expect(withSeen(twice).size).toBe(0);
    expect(withSeen(twice, 'q', 'a')).toBe(twice);
  });
});
