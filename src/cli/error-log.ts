import { Redactor } from '../core/permission/audit/redact';
import { ErrorHandler, errorSentence, type LoggedFault } from '../core/error-handler';
import { nodeClock } from '../node/node-ports';

/** Collects the errors of a command, and passes each on at once. */
export function errorLog(log: (fault: LoggedFault) => void): ErrorHandler {
  return new ErrorHandler({ now: () => nodeClock.now(), redactor: new Redactor(), log });
}

/** An error in one line: what, why, and how often so far. */
export function faultLine({ message, data, count }: LoggedFault): string {
  const { error, why } = data;
  const said = [message, ...[error, why].flatMap(errorSentence)].join(' ');
  return `${said}${count > 1 ? ` (${count} times)` : ''}`;
}
