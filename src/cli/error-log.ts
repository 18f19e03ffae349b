import { Redactor } from '../core/permission/audit/redact';
import { ErrorHandler, type LoggedFault } from '../core/error-handler';
import { nodeClock } from '../node/node-ports';

/** Collects the errors of a command, and passes each on at once. */
export function errorLog(log: (fault: LoggedFault) => void): ErrorHandler {
  return new ErrorHandler({ now: () => nodeClock.now(), redactor: new Redactor(), log });
}

/** An error in one line: what, why, and how often so far. */
export function faultLine({ message, data, count }: LoggedFault): string {
  const { error, why } = data;
  const said = [error, why].filter((one) => typeof one === 'string').map((one) => ` ${one}`);
  return `${message}${said.join('')}${count > 1 ? ` (${count} times)` : ''}`;
}
