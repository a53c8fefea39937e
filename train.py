"""accelerate launch train.py --config configs/train/demo_expert.yaml"""

from train.sft import main

if __name__ == "__main__":
    main()
