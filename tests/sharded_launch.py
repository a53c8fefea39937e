"""train.py for processes without GPUs that share weights out: accelerate knows ZeRO and FSDP only where there are some.

It is told that these are processes on GPUs, over gloo, and (by ACCELERATE_TORCH_DEVICE) that the device is the CPU. The
engines are the real ones.
"""

import os

from accelerate.state import DistributedType, PartialState

if __name__ == "__main__":
    os.environ |= {"ACCELERATE_TORCH_DEVICE": "cpu", "DS_ACCELERATOR": "cpu"}
    PartialState._prepare_backend = lambda *args, **kwargs: ("gloo", DistributedType.MULTI_GPU)
    from train.sft import main

    main()
