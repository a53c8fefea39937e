"""accelerate launch train.py --config configs/train/demo.yaml"""

from train.sft import main

if __name__ == "__main__":
    main()
