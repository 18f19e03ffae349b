import { isAlive, thisProcess } from './lock';

/**
 * Whether a process may be running: true unless it is dead on this machine, since those on others
 * can't be checked.
 */
export async function mayBeAlive(run: {
  /** machine, as in `thisProcess` */
  readonly host: string;
  readonly pid: number;
}): Promise<boolean> {
  const { host } = await thisProcess();
  return run.host !== host || isAlive(run.pid);
}
