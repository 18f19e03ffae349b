import type { Messages } from '../message';

export const noteTasksTexts = {
  tasksOfThisNote: 'Tasks of this note',
  noNoteIsOpen: 'No note is open',
  tasksThatNameNote: 'Tasks that mention {note}',
  noTaskNamesThisNote: 'No task mentions this note',
  openANote: 'Open a note to see the tasks that mention it.',
  howTasksNameNotes:
    'A task mentions a note when its title or text links to it, or when an agent works on the note for the task.',
  openTasksOfThisNote: 'Open tasks of this note',
  openANoteOfATask: 'Open a note of a task…',
  notesOfWhichTask: 'Notes of which task?',
  namesNoNote: '{title} mentions no note in this vault.',
  notesOfTitle: 'Notes of {title}',
} as const satisfies Messages;
