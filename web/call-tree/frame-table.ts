/** Numbers functions by name, so that two profiles share the frames of one tree. */
import type { FrameList } from './call-tree.ts';

export class FrameTable {
  private readonly names: string[] = [];
  private readonly files: string[] = [];
  private readonly labels: number[] = [];
  private readonly byName = new Map<string, number>();
  private readonly byLabel = new Map<string, number>();

  get length(): number {
    return this.names.length;
  }

  intern(name: string, file: string): number {
    return this.find(this.byName, name, file, 0);
  }

  /** A frame for a label; never the same as a function of that name. */
  internLabel(text: string): number {
    return this.find(this.byLabel, text, '', 1);
  }

  name(frame: number): string {
    return this.names[frame];
  }

  finish(): FrameList {
    return { names: this.names, files: this.files, isLabel: Uint8Array.from(this.labels) };
  }

  private find(index: Map<string, number>, name: string, file: string, isLabel: number): number {
    let frame = index.get(name);
    if (frame === undefined) {
      frame = this.names.push(name) - 1;
      index.set(name, frame);
      this.files.push(file);
      this.labels.push(isLabel);
    }
    return frame;
  }
}
