#!/usr/bin/env node
/**
 * Starts the program that has the command. The commands that only read boards are a separate
 * program: most of the start time is Node compiling the file, and theirs is a third of the whole
 * one.
 */
const READS = ['list', 'get', 'ready', 'analyze'];

const isRead = READS.includes(process.argv[2] ?? '');
void (isRead
  ? import('./read-program').then(({ startReadProgram: startReads }) => startReads())
  : import('./whole-program').then(({ startWholeProgram: startWhole }) => startWhole()));
