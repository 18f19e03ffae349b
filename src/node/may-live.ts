import { isAlive, thisProcess } from './lock';

/** Whether a process may be running: not one of this machine that is dead. Others can't be known. */
export async function mayLive(run: {
  /** as `thisProcess` names its machine */
  readonly host: string;
  readonly pid: number;
}): Promise<boolean> {
  const { host } = await thisProcess();
  return run.host !== host || isAlive(run.pid);
}
