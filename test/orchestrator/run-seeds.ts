import type { Setup } from './run-lead';

/** A schedule that failed once, as a list of actions with their numbers. */
export interface Seed {
  readonly name: string;
  readonly setup: Setup;
  readonly acts: string;
}

export const SEEDS: readonly Seed[] = [
  {
    name: 'seed -309220470: two new lines in one place',
    setup: {
      limits: { parallel: 2, attempts: 4, turns: 5, tokens: 600000, minutes: 1 },
      approve: false,
      on: 'nothing',
    },
    acts: `
      tokens 11, ends 744, tokens 993, ends 991, answer 4, carryOut 736, work 613
      ends 807, answer 558, carryOut 8, adds 72, work 409, deletes 8, answers 796
      carryOut 729, connects 995, ends_run 481, resume 461, connects 1, time 366
      carryOut 585, ends 277, carryOut 646, answer 0, work 73, carryOut 788, adds 848
      edits 959, adds 915, ends 997, time 168, answer 916, work 285, resume 1, retry 211
      carryOut 995, work 282, asks 507, carryOut 689, time 0, connects 582, carryOut 174
      carryOut 72, ends 5, answer 984, work 281, answer 90, removes 0, hear 332, ends 444
      ends 1, answer 400, retry 544, restarts 739, work 991, hear 405, answer 167, work 2
      ends 712, answer 537, answer 246, work 848, edits 622, carryOut 844, time 231
      carryOut 752, hear 452, hear 66, hear 425, refuse 956, time 576, ends 991, ends 1000
      hear 49, hear 676, adds 743, resume 291, carryOut 562, tokens 620, hear 383
      hear 413, answer 727, answer 817, ends 992, hear 608, time 2, interrupt 202, hear 7
      answer 850, approve 891, interrupt 277, carryOut 767, time 749, adds 992, answer 186
      ends 826, work 993, ends 3, answers 317, gives_up 533, carryOut 481, twice 649
      more 378, ends 7, answers 486, work 965, ends_run 786, carryOut 5, restarts 357
      hear 242, carryOut 509, connects 926, more 740, retry 917, answer 1, answers 942
      kills 857, hear 154, hear 5, answer 445, answer 610, answer 104, carryOut 921
      time 643, hear 95, deletes 349, connects 4, ends 551, answer 692, tokens 13
      time 795, answer 201, carryOut 108, time 9, ends 649, ends 838, carryOut 20
      answer 292, carryOut 804, work 123, gives_up 425, carryOut 677, ends 240, work 3
      carryOut 409, work 514, work 534, more 876, resume 654, carryOut 202, connects 7
      answer 236, hear 544, kills 273, carryOut 1, hear 452, carryOut 390, ends 991
      connects 974, work 666, resume 2, resume 56, ends 577, carryOut 5, answer 317
      carryOut 893, skip 519, refuse 136, work 91, kills 235, carryOut 294, interrupt 392
      carryOut 841, hear 916, answers 702, mark_done 147
    `,
  },
  {
    name: 'seed 2096113694: marked done, and taken off meanwhile',
    setup: {
      limits: { parallel: 1, attempts: 1, turns: 5, tokens: 500, minutes: 1 },
      approve: false,
      on: 'plan',
    },
    acts: `
      pause 0, answer 0, work 0, carryOut 0, asks 0, answer 0, time 0, time 0, work 0
      carryOut 0, hear 0, connects 0, connects 0, answer 0, time 0, cuts 0, interrupt 0
      carryOut 0, connects 0, ends 0, approve 0, carryOut 0, work 0, ends 0, carryOut 0
      hear 0, carryOut 0, answer 0, restarts 0, work 0, hear 0, work 0, connects 0
      approve 0, hear 0, carryOut 0, ends 0, hear 0, work 0, mark_done 0, carryOut 0
      carryOut 0, work 0, carryOut 0, edits 446, hear 0, twice 0, carryOut 0, work 0
      carryOut 0, work 0, hear 0, work 0, deletes 0, work 0, answer 0, carryOut 0, work 0
      more 0, ends_run 0
    `,
  },
  {
    name: 'seed 9082097: at rest, as the task is gone',
    setup: {
      limits: { parallel: 1, attempts: 1, turns: 5, tokens: 500, minutes: 1 },
      approve: false,
      on: 'plan',
    },
    acts: `
      carryOut 0, answer 0, carryOut 0, answer 0, carryOut 0, answer 0, removes 0, hear 0
      asks 0, resume 0, replan 0, restarts 0, work 0, connects 0, work 0, answer 0, ends 0
      answer 0, answer 0, answer 0, cuts 0, answer 0, ends 0, work 0, answer 0, answer 0
      carryOut 0, answer 0, connects 0, tokens 0, answer 0, carryOut 0, time 0, hear 0
      answers 0, gives_up 0, hear 0, work 0, tokens 0, answer 0, approve 0, resume 0
      resume 0, hear 0, work 0, answer 0, carryOut 0, carryOut 0, hear 0, answer 0
      carryOut 0, time 0, approve 0, ends 0, ends 0, carryOut 0, twice 0, carryOut 0
      time 0, ends 0, asks 0, work 0, hear 0, answer 0, hear 0, answer 0, carryOut 0
    `,
  },
  {
    name: 'seed 1706308063: the end of a turn, as the task is gone',
    setup: {
      limits: { parallel: 1, attempts: 1, turns: 5, tokens: 500, minutes: 1 },
      approve: false,
      on: 'session',
    },
    acts: `
      carryOut 0, work 373, ends 67, hear 0, answer 0, carryOut 0, answer 0, carryOut 0
      answer 0, carryOut 0, answer 0, removes 0, work 0, time 0, twice 0, time 0
      connects 0, time 0, carryOut 0, carryOut 0, work 0, hear 0, carryOut 0, tokens 0
      pause 0, ends_run 1, resume 0, adds 0, carryOut 0, ends 0, ends 0, resume 0, hear 0
      time 0, edits 0, carryOut 0, carryOut 0, time 0, asks 0, removes 0, work 0, time 0
      hear 0, answer 0, twice 0, hear 0, work 0, work 0, time 0, answer 0, answer 0
      mark_done 0, hear 0, answer 0, hear 0, work 0, hear 0, carryOut 0, work 0, hear 0
      connects 0, work 0, answer 0, answer 0, work 0, ends 0, work 0, restarts 0
      carryOut 0, tokens 0, work 0, work 0
    `,
  },
  {
    name: 'seed 237272111: a plan as text onto a board that is done',
    setup: {
      limits: { parallel: 1, attempts: 2, turns: 5, tokens: 500, minutes: 1 },
      approve: true,
      on: 'plan',
    },
    acts: `
      removes 0, work 0, hear 0, resume 0, hear 0, ends 0, work 0, ends 0, hear 0, ends 0
      carryOut 0, hear 0, replan 0, answer 0, answer 0, refuse 0, approve 0, twice 0
      cuts 0, kills 0, hear 0, hear 0, carryOut 0, resume 0, answer 0, answer 0, answer 0
      hear 0, answer 0, retry 0, carryOut 0, hear 0, edits 0, hear 0, work 0, hear 0
      carryOut 0, twice 0, replan 0, approve 0, work 0, twice 0, carryOut 0, kills 0
      hear 0, hear 0, refuse 0, work 0, work 0, refuse 0, carryOut 0, connects 0, twice 0
      answer 0, ends 0, retry 0, carryOut 0, answer 0, approve 0, carryOut 0, resume 0
    `,
  },
  {
    name: 'seed 465592099: over is told of a prompt that is known to be taken',
    setup: {
      limits: { parallel: 1, attempts: 1, turns: 5, tokens: 500, minutes: 1 },
      approve: false,
      on: 'nothing',
    },
    acts: `
      hear 0, approve 0, hear 0, answer 0, hear 0, carryOut 0, answer 0, more 0, answer 0
      answer 0, ends 0, more 0, tokens 0, retry 0, connects 0, time 0, pause 0, work 0
      hear 0, approve 0, work 0, removes 0, restarts 0, resume 0, ends 0, answer 0, hear 0
      answer 0, carryOut 0, work 4, resume 0, tokens 0, twice 0, hear 0, hear 0, replan 0
      replan 0, restarts 0, asks 0, restarts 0, time 0, answer 0, hear 0, answer 0, work 0
      time 0, interrupt 0, answer 0, answer 0, answers 0, answer 0, carryOut 0, resume 0
      retry 0, kills 0, connects 0, ends 0, answer 0, answer 0, asks 0
    `,
  },
];
