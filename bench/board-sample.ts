const PHASE_SIZE = 100;

/** A board of `size` tasks as agents write them: phases, subtasks, fields, dependencies. */
export function boardText(size: number): string {
  const lines = Array.from({ length: size }, (_, at) => {
    const n = at + 1;
    const heading = at % PHASE_SIZE === 0 ? [`## Phase ${at / PHASE_SIZE + 1}`, ''] : [];
    const waits = n > 3 ? ` ⛔ k3f9-${n - 3}` : '';
    const risk = n % 7 === 0 ? ' [risk:: high]' : '';
    const task = `${n % 5 === 0 ? '\t' : ''}- [${n % 4 === 0 ? 'x' : ' '}] Build part ${n} of the index${risk} 🆔 k3f9-${n}${waits} ⏫ ^k3f9-${n}`;
    return [...heading, task].join('\n');
  });
  const header = `---\nboard: 1\nsession: ses_bench\nagent: build\ntitle: Bench\nprefix: k3f9\nnext: ${size + 1}\nrev: 9\n---\n\n# Bench\n\n`;
  return `${header}${lines.join('\n')}\n`;
}
