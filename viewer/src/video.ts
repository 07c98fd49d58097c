/* A video of the scene: what the canvas shows while the motion plays once, as WebM. */

const KINDS = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

export const canRecord = (): boolean => typeof MediaRecorder !== 'undefined' && KINDS.some((kind) => MediaRecorder.isTypeSupported(kind));

export class Video {
  private recorder: MediaRecorder | null = null;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly done: (video: Blob) => void, private readonly failed: (text: string) => void) {}

  get active(): boolean {
    return this.recorder !== null;
  }

  start(): void {
    const kind = KINDS.find((k) => MediaRecorder.isTypeSupported(k))!;
    const stream = this.canvas.captureStream(30);
    const pieces: Blob[] = [];
    const recorder = new MediaRecorder(stream, { mimeType: kind, videoBitsPerSecond: 8e6 });
    recorder.ondataavailable = (event) => { if (event.data.size) pieces.push(event.data); };
    recorder.onerror = () => this.failed('the browser could not record the scene');
    recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      if (pieces.length) this.done(new Blob(pieces, { type: 'video/webm' }));
    };
    recorder.start(250);
    this.recorder = recorder;
  }

  stop(): void {
    this.recorder?.stop();
    this.recorder = null;
  }
}
